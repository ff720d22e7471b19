#include <cstdio>
int main()
{
	int sum = 0;
	for (int i = 0; i < 300; i++) {
		try {
			try {
				throw i;
			} catch (int number) {
				if (number % 3 == 0)
					throw;
				sum += number;
			}
		} catch (...) {
			sum++;
		}
	}
	std::printf("%d\n", sum);
}
