/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * shop.cc - fields of many kinds, in C++11.
 *
 *   c++ -std=c++11 -o shop shop.cc -llttngmap
 *   lttngmap record -- ./shop
 *   lttngmap view
 */
#include <arpa/inet.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <lttngmap/tracepoint.h>

enum state { open, paid, sent = 5 };

LTTNGMAP_ENUM(order_state, { "open", open, open }, { "paid", paid, paid }, { "sent", 2, sent });

LTTNGMAP_TRACEPOINT(shop, order, LTTNGMAP_LOGLEVEL_NOTICE,
	(integer, int32_t, id),
	(string, customer),
	(sequence, uint32_t, items),
	(floating, double, price),
	(enumeration, order_state, int, state));

LTTNGMAP_TRACEPOINT(shop, connection, LTTNGMAP_LOGLEVEL_DEBUG,
	(network, uint16_t, port),
	(array_hex, uint8_t, mac, 6),
	(hex, uint64_t, cookie),
	(pointer, object));

LTTNGMAP_TRACEPOINT(shop, summary, LTTNGMAP_LOGLEVEL_INFO,
	(text_sequence, report));

LTTNGMAP_TRACEPOINT(shop, closing, LTTNGMAP_LOGLEVEL_WARNING);

struct order {
	int32_t id;
	std::string customer;
	std::vector<uint32_t> items;
	double price;
	state progress;

	void trace() const
	{
		lttngmap_tracepoint(shop, order, id, customer.c_str(), items.data(), items.size(),
				    price, progress);
	}
};

static std::string summarise(const std::vector<order> &orders)
{
	double sum = 0;

	for (const order &o : orders)
		sum += o.price;
	return std::to_string(orders.size()) + " orders, sum " + std::to_string(sum);
}

int main()
{
	const uint8_t mac[6] = { 0x02, 0x00, 0x5e, 0x10, 0x00, 0xff };
	std::vector<order> orders = {
		{ 1, "Ada", { 4711 }, 9.5, open },
		{ 2, "Grace", { 4711, 4712, 4713 }, 28.25, paid },
		{ 3, "", {}, 0.0, sent },
	};

	lttngmap_tracepoint(shop, connection, htons(8080), mac, UINT64_C(0xfeedfacecafebeef),
			    &orders);
	for (const order &o : orders)
		o.trace();

	/* What only the event needs is not worked out for nothing. */
	if (lttngmap_tracepoint_enabled(shop, summary)) {
		std::string report = summarise(orders);

		lttngmap_tracepoint(shop, summary, report.data(), report.size());
	}
	lttngmap_tracepoint(shop, closing);
	std::printf("%zu orders\n", orders.size());
	return 0;
}
