/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * bell.pml - who rings and who sleeps, for spin(1): no full sub-buffer stays unread.
 *
 * run.sh checks all interleavings of it, mutate.sh that each order matters. What stands for what:
 *
 *   writer        liblttngmap/ring/ring-switch.c ring_switch_tell(), after the move; `awake` is
 *                 lttngmap_ring.awake
 *   reader        the daemon with its reader: sessiond/ring/ring-set.c get_packets(), with
 *                 LTTNGMAP_PACKET_AWAKE and without; asleep: poll(2) in the reader,
 *                 sessiond/mediator/doorbell.c in the daemon
 *   set_awake     ring_set_set_awake(); `saved` is ring_saved.awake
 *   reborn        ring_set_restore(), with -DDEATH: the daemon is killed at any step
 *   memory        the CPUs' store buffers: a store is seen by others some time later, those of one
 *                 CPU in their order. Loads are in order, as on x86.
 *
 * A reader that is awake asks again, whatever the answer; when it goes to sleep is its own choice.
 *
 * Not here: the ring itself (ring.pml), a bell that is rung because the ring is half full.
 */
#ifndef FILLS
#define FILLS 3
#endif
#ifdef DEATH
byte lives = 2;
#define MAY_DIE if :: lives > 0 -> lives--; goto reborn :: skip fi
#else
#define MAY_DIE skip
#endif
#define AWAKE 0
#define SAVED 1

byte position; /* sub-buffers that are full, as memory has it */
bool awake, saved;
bool bell; /* the eventfd's counter */
bool done; /* the writer is */
chan writes = [2] of { byte };
chan stores = [4] of { bit, bool };

active proctype memory()
{
	bit where;
	bool value;
end:
	do
	:: atomic { writes?position }
	:: atomic {
		stores?where, value;
		if
		:: where == AWAKE -> awake = value
		:: else -> saved = value
		fi
	}
	od
}

active proctype writer()
{
	byte filled;
	bool is_awake;

	do
	:: filled < FILLS ->
		filled++;
#ifdef WRITER_LOOKS_FIRST
		is_awake = awake;
#endif
		writes!filled;
#ifndef NO_WRITER_BARRIER
		empty(writes);
#endif
#ifndef WRITER_LOOKS_FIRST
		is_awake = awake;
#endif
		/* A system call. */
		if
		:: !is_awake -> atomic { empty(writes); bell = true }
		:: else
		fi
	:: else -> break
	od;
	empty(writes);
	done = true
}

#ifdef NO_READER_BARRIER
#define BARRIER skip
#else
#define BARRIER empty(stores)
#endif

inline set_awake(to)
{
	if
	:: mine == to
#ifdef NO_CLEARING
	:: !to
#endif
	:: else ->
#ifdef WORD_BEFORE_SAVED
		stores!AWAKE, to;
		MAY_DIE;
		if :: to -> stores!SAVED, true :: else fi;
#else
		if :: to -> stores!SAVED, true :: else fi;
		MAY_DIE;
		stores!AWAKE, to;
#endif
		MAY_DIE;
		BARRIER;
		if :: !to -> stores!SAVED, false :: else fi;
		mine = to
	fi
}

active proctype reader()
{
	bool mine; /* `saved`, as who stored it sees it */
	byte taken, seen;

	goto asks_asleep;
reborn:
	/* What a process stored is seen when it has ended; its reader asks anew. */
	empty(stores);
	mine = saved;
	set_awake(false);
asks_asleep:
#ifdef LOOK_BEFORE_WORD
	seen = position;
	set_awake(false);
#else
	set_awake(false);
	seen = position;
#endif
	MAY_DIE;
	if
	:: seen > taken -> taken = seen; goto chooses
	:: else -> goto sleeps
	fi;
chooses:
	if
	:: goto asks_asleep
	:: goto asks_awake
	fi;
asks_awake:
	set_awake(true);
	taken = position;
	MAY_DIE;
	if
	:: taken == FILLS -> goto asks_asleep
	:: goto chooses
	fi;
sleeps:
	if
#ifdef BELL_TAKEN_LATE
	:: bell -> seen = position; bell = false; taken = (seen > taken -> seen : taken);
		goto sleeps
#else
	:: bell -> bell = false; goto chooses
#endif
	:: done && taken == FILLS && !bell
	fi
}
