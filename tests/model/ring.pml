/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring.pml - one ring, two writers and its reader, for spin(1).
 *
 * run.sh checks all interleavings of it in each mode, mutate.sh that each
 * check and each order matters. What stands for what:
 *
 *   writer: section         liblttngmap/ring/ring-rseq.h RING_WRITE_SECTION, or
 *                           write_locked() of ring-trylock.c and event-trylock.c
 *           prepare         ring-switch.c ring_switch_prepare()
 *           take            ring-switch.c take_slot()
 *           describe        ring-switch.c describe_move()
 *           move            ring-rseq.h ring_rseq_move(), or write_locked()
 *           lock            ring-lock.h ring_lock_take(); taken: a discard, as
 *                           if there were no other ring
 *   reader: look            sessiond/ring/ring-reader.c look()
 *           full, swap      take_full(), swap_out()
 *           stays, free     ring_reader_take_more(), ring_reader_free()
 *           partial         take_partial()
 *           intact          ring_reader_is_intact(), after the copy
 *           spoil           spoil(): never for a process that behaves
 *   killer                  SIGKILL to the process, at any step
 *
 *           lock = 0 of who    sessiond/session/user-rings.c free_locks()
 *           is gone
 *
 * Modes: -DOVERWRITE or discard; -DTRYLOCK or rseq; -DDEATH or nobody dies; -DSTAYS: a full
 * sub-buffer may be read in its place, one at a time. The
 * writers are threads of one process, or with -DSHARED two processes: they have nothing
 * in common but the ring as it is, and it is one of them who dies.
 *
 * A restartable sequence goes on only while nobody else entered one since: its
 * CPU is theirs otherwise. It may also be aborted at every step, by a signal or
 * a migration. Steps outside of it run on any CPU, so they abort nobody.
 *
 * A position counts cells of which a sub-buffer has CAP. Records of two sizes
 * make that what does not fit for one writer does for the other. Word 0 of the
 * commit is position and count, word 1 a stamp that must belong to it: by trylock both are one
 * store; in a restartable sequence the stamp goes first, and may be of the next record.
 *
 * Not here: the clock, the generation (a stop), hostile values, what 48 and 32
 * bits cannot hold, weak memory (x86 stores are in order), several rings.
 */
#define N 2 /* sub-buffers in rotation */
#define CAP 2 /* cells of a sub-buffer */
#define IDS 3 /* N and the reader's */
#define NONE 255

#ifndef EVENTS_SMALL
#define EVENTS_SMALL 4 /* of one cell */
#endif
#ifndef EVENTS_LARGE
#define EVENTS_LARGE 2 /* of two */
#endif
/* Each move may waste a cell. */
#define POSITIONS 24

#ifdef OVERWRITE
#define IS_OVERWRITE true
#else
#define IS_OVERWRITE false
#endif

/* A cell is never filled: LTTNGMAP_SUBBUF_TAIL. */
#ifdef NO_TAIL
#define STRIDE CAP
#else
#define STRIDE (CAP + 1)
#endif
#define Q(position) ((position) / STRIDE)
#define OFFSET(position) ((position) % STRIDE)

#define WRITING 0
#define FREE 1
#define SLOT(seq, state, id) ((seq) * 8 + (state) * 4 + (id))
#define SEQ(slot) ((slot) / 8)
#define STATE(slot) (((slot) / 4) % 2)
#define ID(slot) ((slot) % 4)

/* ---- the memory that both halves share -------------------------------------- */

byte position, count; /* commit word 0 */
byte stamp;           /* commit word 1 */
byte lock; /* 0, or the holder: its record's size tells who */
byte discards;
short slots[N];
byte d_seq[IDS], d_begin[IDS], d_size[IDS], d_end[IDS], d_discards[IDS];
byte cells[IDS * CAP];

/* ---- the kernel ---------------------------------------------------------------- */

byte cpu = NONE; /* who entered a restartable sequence last */
bool dead;
byte writers_left = 2;

/* ---- what no program sees: the truth -------------------------------------------- */

byte truth[POSITIONS]; /* the event committed in that cell, from 1 on */
bit first[POSITIONS];  /* it begins there */
byte held = NONE;      /* a sub-buffer that is the reader's: nobody writes it */
byte done;             /* events written or discarded */
byte delivered, overwritten;
bit got[EVENTS_SMALL + EVENTS_LARGE + 1];

/* ---- writers ------------------------------------------------------------------------ */

/* Of two processes that share the ring, one dies. */
#ifdef SHARED
#define IS_MORTAL (size == 1)
#else
#define IS_MORTAL true
#endif

/* Outside of a critical section: one step, unless the process is dead. */
#ifdef DEATH
#define STEP(statement) \
	atomic { if :: dead && IS_MORTAL -> goto gone :: else fi; statement }
#else
#define STEP(statement) atomic { statement }
#endif

#ifdef TRYLOCK
#define ENTER(statement) STEP(statement)
#define SECTION(statement) STEP(statement)
#else
#define ENTER(statement) STEP(cpu = _pid; statement)
#ifdef NO_ABORT
#define SECTION(statement) STEP(statement)
#else
#define SECTION(statement) \
	STEP(if :: true -> goto again :: cpu == _pid -> statement fi)
#endif
#endif

inline commit_record()
{
	d_step {
		position = position_seen + size;
		count = count_seen + 1;
#if defined(TRYLOCK) && !defined(TWO_STORES)
		stamp = count_seen + 1;
#endif
		assert(position < POSITIONS);
		k = 0;
		do
		:: k < size ->
			truth[position_seen + k] = event;
			first[position_seen + k] = (k == 0);
			k++
		:: else -> break
		od;
		done++;
		k = 0
	}
}

inline write_cell()
{
	assert(id != held);
	cells[id * CAP + OFFSET(position_seen) + k] = event;
	k++
}

proctype writer(byte size; byte event; byte events)
{
	byte position_seen, count_seen, discards_seen, next, id, full_id, k;
	short old;

event_begins:
	if
	:: events == 0 -> goto finished
	:: else
	fi;
#ifdef TRYLOCK
#ifndef NO_LOCK
	/* lock */
	STEP(
		if
		:: lock == 0 -> lock = size
		:: else -> discards++; done++; goto event_ends
		fi
	);
#endif
#endif

again:
	/* What was loaded is loaded anew: one state less to tell from others. */
	atomic {
		position_seen = 0; count_seen = 0; discards_seen = 0;
		next = 0; id = 0; full_id = 0; k = 0; old = 0
	};

	/* section */
	ENTER(position_seen = position; count_seen = count);
	if
	:: OFFSET(position_seen) + size > CAP -> goto prepare
	:: else
	fi;
	SECTION(id = ID(slots[Q(position_seen) % N]); k = 0);
#ifdef COMMIT_BEFORE_COPY
	SECTION(commit_record());
#endif
	do
	:: k < size -> SECTION(write_cell())
	:: else -> break
	od;
#ifdef UNLOCK_BEFORE_COMMIT
	STEP(lock = 0);
#endif
#if !defined(TRYLOCK) && !defined(TWO_STORES)
	SECTION(stamp = count_seen + 1);
#endif
#ifndef COMMIT_BEFORE_COPY
	SECTION(commit_record());
#endif
#ifdef TWO_STORES
	STEP(stamp = count_seen + 1);
#endif
	goto unlock;

prepare:
	STEP(position_seen = position; count_seen = count; next = Q(position_seen) + 1);
	if
	:: OFFSET(position_seen) + size <= CAP -> goto again
	:: else
	fi;

	/* take */
	STEP(old = slots[next % N]; id = ID(old));
	if
	:: STATE(old) == WRITING && SEQ(old) == next -> goto describe
#ifndef NO_SLOT_SEQ_CHECK
	:: SEQ(old) > next || (SEQ(old) == next && STATE(old) != WRITING) -> goto again
#endif
#ifndef TAKE_UNREAD
	:: STATE(old) == WRITING && SEQ(old) < next && !IS_OVERWRITE -> goto is_full
#endif
	:: else
	fi;
#ifdef OPEN_BEFORE_TAKE
	STEP(assert(id != held); d_seq[id] = next; d_begin[id] = count_seen);
#endif
#ifdef TAKE_WITHOUT_CAS
	STEP(slots[next % N] = SLOT(next, WRITING, id));
#else
	STEP(
		if
		:: slots[next % N] == old -> slots[next % N] = SLOT(next, WRITING, id)
		:: else -> goto again
		fi
	);
#endif

describe:
	old = 0;
	STEP(full_id = ID(slots[Q(position_seen) % N]));
	STEP(discards_seen = discards);

	/* move */
#ifdef NO_POSITION_RECHECK
	ENTER(skip);
#else
	ENTER(
		if
		:: position == position_seen && count == count_seen
		:: else -> goto again
		fi
	);
#endif
#ifdef COMMIT_BEFORE_DESCRIPTOR
	SECTION(position = next * STRIDE; assert(position < POSITIONS));
#endif
	SECTION(assert(full_id != held && id != held); d_size[full_id] = OFFSET(position_seen));
	SECTION(d_end[full_id] = count_seen);
	SECTION(d_discards[full_id] = discards_seen);
	SECTION(d_seq[id] = next);
	SECTION(d_begin[id] = count_seen);
#ifndef COMMIT_BEFORE_DESCRIPTOR
	SECTION(
		assert(position <= next * STRIDE && next * STRIDE < POSITIONS);
		position = next * STRIDE
	);
#endif
	goto again;

is_full:
	STEP(discards++; done++);
unlock:
#ifdef TRYLOCK
#ifndef UNLOCK_BEFORE_COMMIT
	STEP(lock = 0);
#endif
#endif
event_ends:
	atomic {
		position_seen = 0; count_seen = 0; id = 0; next = 0; old = 0;
		event++;
		events--
	};
	goto event_begins;

gone:
	/* The daemon takes its lock back, at some time. */
#ifdef SHARED
	atomic {
		if
		:: lock == size -> lock = 0
		:: else
		fi
	};
#endif
finished:
	writers_left--
}

/* ---- the reader ----------------------------------------------------------------------- */

#define SPOIL(condition) assert(!(condition))

/* Every cell is of this sequence number, no event comes twice, the count is right. */
inline deliver()
{
	d_step {
		k = offset;
		n = 0;
		do
		:: k < to ->
			assert(copy[k] == truth[seq * STRIDE + k]);
			if
			:: first[seq * STRIDE + k] ->
				assert(!got[copy[k]]);
				got[copy[k]] = 1;
				n++
			:: else
			fi;
			k++
		:: else -> break
		od;
		assert(n == end - begin);
		delivered = delivered + n
	}
}

proctype reader()
{
	byte seq, offset, events, told, told_full; /* struct ring_reader */
	byte spare = N;
	byte position_seen, count_seen, stamp_seen, discards_seen;
	byte q, id, to, begin, end, opened_seq, k, n;
	byte copy[CAP];
	short entry;
	bool last;
#ifdef STAYS
	bool stays;
#endif

look:
	atomic {
		position_seen = 0; count_seen = 0; stamp_seen = 0; discards_seen = 0;
		q = 0; id = 0; to = 0; begin = 0; end = 0; opened_seq = 0; k = 0; n = 0; entry = 0;
		copy[0] = 0; copy[1] = 0
	};
#ifdef COPY_BEFORE_LOOK
	entry = slots[seq % N];
	k = offset;
	do
	:: k < CAP -> atomic { copy[k] = cells[ID(entry) * CAP + k]; k++ }
	:: else -> break
	od;
	atomic { k = 0; entry = 0 };
#endif
	atomic { last = (writers_left == 0); position_seen = position; count_seen = count };
	atomic { stamp_seen = stamp; discards_seen = discards };
	atomic {
#ifndef NO_LOOK_RECHECK
		if
		:: position != position_seen || count != count_seen -> goto look
		:: else
		fi;
#endif
#ifdef TRYLOCK
		assert(stamp_seen == count_seen);
#else
		assert(stamp_seen == count_seen || stamp_seen == count_seen + 1);
#endif
		stamp_seen = 0;
		q = Q(position_seen);
		assert(seq <= q)
	};
	if
	:: seq < q -> goto take_full
	:: seq == q && OFFSET(position_seen) > offset -> goto partial
	/* Wait; or there is a part, but it was not asked for. */
	:: seq == q && !last -> (position != position_seen || writers_left == 0); goto look
	:: seq == q && last && OFFSET(position_seen) == offset -> goto finished
	fi;

take_full:
	if
	:: IS_OVERWRITE && q - seq >= N -> seq = q - N + 1; offset = 0
	:: else
	fi;

swap:
	entry = slots[seq % N];
again:
#ifndef NO_READER_SEQ_CHECK
	if
	:: SEQ(entry) > seq ->
		SPOIL(!IS_OVERWRITE);
		seq++;
		offset = 0;
		if
#ifndef SWAP_WHAT_IS_WRITTEN
		:: seq >= q -> goto look
#endif
		:: else -> goto swap
		fi
	:: else
	fi;
	SPOIL(SEQ(entry) != seq || STATE(entry) != WRITING);
#endif
#ifdef STAYS
	if
	:: atomic {
		held = ID(entry);
		stays = true;
#ifdef FREE_BEFORE_COPY
		slots[seq % N] = SLOT(seq, FREE, held);
#endif
		goto describe
	}
	:: true
	fi;
#endif
	atomic {
		if
#ifdef SWAP_WITHOUT_CAS
		:: true ->
#else
		:: slots[seq % N] == entry ->
#endif
#ifdef SWAP_WITHOUT_SPARE
			slots[seq % N] = SLOT(seq, FREE, ID(entry));
#else
			slots[seq % N] = SLOT(seq, FREE, spare);
#endif
			held = ID(entry)
#ifndef SWAP_WITHOUT_CAS
		:: else -> entry = slots[seq % N]; goto again
#endif
		fi
	};

#ifdef STAYS
describe:
	skip;
#endif
	/* The descriptor: the reader's alone, as `held` sees to. */
	d_step {
		id = held;
		to = d_size[id];
		end = d_end[id];
		begin = d_begin[id];
		if
		:: offset > 0 || seq == 0 -> begin = events
		:: else ->
			SPOIL(d_seq[id] != seq);
			SPOIL(begin < events || (begin > events && !IS_OVERWRITE))
		fi;
		SPOIL(to < offset || to > CAP || end < begin);
		SPOIL((end == begin) != (to == offset));
#ifdef DISCARDS_AS_TOLD
		SPOIL(d_discards[id] < told);
#endif
		SPOIL(d_discards[id] < told_full);
		told_full = d_discards[id];
		if
		:: told_full > told -> told = told_full
		:: else
		fi;
		overwritten = overwritten + begin - events;
		events = end;
		k = offset;
		n = 0
	};
	do
	:: k < to -> atomic { copy[k] = cells[id * CAP + k]; k++ }
	:: else -> break
	od;
	deliver();
#ifdef STAYS
	if
	:: stays -> atomic {
#ifndef FREE_BEFORE_COPY
		assert(slots[seq % N] == SLOT(seq, WRITING, held));
		slots[seq % N] = SLOT(seq, FREE, held);
#endif
		held = NONE;
		stays = false;
		seq++;
		offset = 0;
		goto look
	}
	:: else
	fi;
#endif
	d_step {
		spare = held;
		held = NONE;
		seq++;
		offset = 0
	};
	goto look;

partial:
	entry = slots[seq % N];
#ifndef NO_PARTIAL_SEQ_CHECK
	if
	:: SEQ(entry) > seq && IS_OVERWRITE -> goto look
	:: else
	fi;
#endif
	SPOIL(SEQ(entry) != seq || STATE(entry) != WRITING);
	id = ID(entry);
	opened_seq = d_seq[id];
	begin = d_begin[id];
#ifndef NO_OPENING_RECHECK
	if
	:: slots[seq % N] != entry -> goto look
	:: else
	fi;
#endif
	d_step {
		to = OFFSET(position_seen);
		end = count_seen;
		if
		:: offset > 0 || seq == 0 -> begin = events
		:: else ->
			SPOIL(opened_seq != seq);
			SPOIL(begin < events || (begin > events && !IS_OVERWRITE))
		fi;
		SPOIL(end <= begin || end - begin > to - offset);
		SPOIL(discards_seen < told);
		told = discards_seen;
		overwritten = overwritten + begin - events;
		events = end;
		k = offset;
		n = 0
	};
#ifdef INTACT_BEFORE_COPY
	entry = slots[seq % N];
#endif
#ifndef COPY_BEFORE_LOOK
	do
	:: k < to -> atomic { copy[k] = cells[id * CAP + k]; k++ }
	:: else -> break
	od;
#endif
#ifndef INTACT_BEFORE_COPY
	entry = slots[seq % N];
#endif

	/* intact */
	if
#ifndef NO_LAPPED_CHECK
	:: IS_OVERWRITE && SEQ(entry) != seq -> overwritten = overwritten + end - begin
	:: else ->
#else
	:: true ->
#endif
		deliver()
	fi;
	offset = to;
	goto look;

finished:
	/* Nobody writes any more, and all is read: every event is accounted for. */
	assert(delivered + overwritten == count);
	assert(delivered + overwritten + discards == done);
	assert(IS_OVERWRITE || overwritten == 0)
}

proctype killer()
{
	dead = true
}

init {
	atomic {
		slots[0] = SLOT(0, WRITING, 0);
		slots[1] = SLOT(0, FREE, 1);
		run writer(1, 1, EVENTS_SMALL);
		run writer(2, 1 + EVENTS_SMALL, EVENTS_LARGE);
		run reader();
#ifdef DEATH
		run killer()
#endif
	}
}
