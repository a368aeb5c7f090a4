------------------------------- MODULE Lanes -------------------------------
(* The lanes of one endpoint: how what was committed reaches the receiver, at least once and in order for each package,  *)
(* while workers die, leases run out, the endpoint is disabled and enabled, and the number of its lanes changes. What    *)
(* moved while it was disabled is caught up with when it is enabled.                                                     *)
(*                                                                                                                       *)
(* What it cannot say: times (a pause may end at any moment); isolation of receivers and slots; a worker that the system *)
(* suspends between its look at the clock and its request, or a network that delivers a request after its connection     *)
(* was closed; more than one change of the number of lanes. Floors are in Floors, replays, tests and erasure in Replays  *)
(* and Erasure. Two catch-ups of an endpoint that was disabled twice are one here, and read all their packages at once.  *)
EXTENDS Integers, FiniteSets

CONSTANTS
  Packages,           \* 1..n
  MaxMovements,       \* of each package
  MaxClaims, MaxAttempts, MaxDisables,
  First, Second,      \* numbers of lanes, before and after the change; Second = 0: no change
  Broken              \* the guard that is left out; "" is the code as it is

VARIABLES
  active, generation, disables,
  lane,               \* lane -> its row
  txs,                \* open transactions that enqueue
  waiting,            \* rows of webhook_notifications that are committed
  seq,                \* package -> its movements so far
  job,                \* claim -> what the worker that has it, or had it, does
  nextClaim,
  delivery,           \* claim under which it was frozen -> the delivery
  notified, acked, dead, \* movements: committed with a notification, acknowledged by the receiver, given up
  excused,            \* movements whose sender died or lost the answer, or that were recorded as the endpoint was enabled
  debt,               \* the catch-up: what was recorded in its time, whom it waits for, what it has not looked at
  latest,             \* package -> the newest movement that the receiver has seen
  faults              \* promises that the receiver saw broken

vars == <<active, generation, disables, lane, txs, waiting, seq, job, nextClaim, delivery, notified, acked, dead, excused,
          debt, latest, faults>>
queue == <<active, generation, disables, txs, seq, notified, debt>>
seen == <<latest, acked, faults>>

Lanes == {<<1, n>> : n \in 0..(First - 1)} \cup {<<2, n>> : n \in 0..(Second - 1)}
LaneOf(p) == <<generation, (p - 1) % (IF generation = 1 THEN First ELSE Second)>>
Claims == 1..MaxClaims
None == [stage |-> "none", lane |-> <<1, 0>>, chosen |-> {}, delivery |-> 0, answer |-> ""]
Over == [None EXCEPT !.stage = "over"]
NoDebt == [state |-> "none", awaited |-> {}, window |-> {}, left |-> {}]
Row(state) == [state |-> state, claim |-> 0, delivery |-> 0, expired |-> FALSE, stopping |-> FALSE]

Init ==
  /\ active = TRUE /\ generation = 1 /\ disables = 0 /\ nextClaim = 1
  /\ lane = [l \in Lanes |-> Row(IF l[1] = 1 THEN "idle" ELSE "none")]
  /\ txs = {} /\ waiting = {} /\ seq = [p \in Packages |-> 0]
  /\ job = [c \in Claims |-> None] /\ delivery = [c \in Claims |-> [members |-> {}, sent |-> {}, attempts |-> 0]]
  /\ notified = {} /\ dead = {} /\ latest = [p \in Packages |-> 0]
  /\ acked = {} /\ excused = {} /\ faults = {} /\ debt = NoDebt

Waits(l) == \E n \in waiting : n.lane = l
\* A transaction that found the endpoint disabled: it notifies nobody, and holds no lock of the endpoint's row.
Silent(t) == t.lane = <<0, 0>>
Noted(n) == IF debt.state \in {"owed", "awaiting"} THEN [debt EXCEPT !.window = @ \cup {n}] ELSE debt
Owing == [debt EXCEPT !.state = "owed", !.awaited = {}]
Locked(l) == \E t \in txs : t.lane = l /\ t.wakes
Holds(c) == lane[job[c].lane].claim = c
Set(l, changes) == lane' = [lane EXCEPT ![l] = changes]
Free(state) == [state |-> state, claim |-> 0, expired |-> FALSE, stopping |-> FALSE]
Leave(l, state, d) == Set(l, [state |-> state, claim |-> 0, delivery |-> d, expired |-> FALSE, stopping |-> FALSE])
End(c) == job' = [job EXCEPT ![c] = Over]
At(c, stage) == job[c].stage = stage

-----------------------------------------------------------------------------
\* Code: src/queue/enqueue.ts enqueuing "for key share"
Enqueue(p) ==
  LET l == LaneOf(p) n == <<p, seq[p] + 1>> IN
  /\ active /\ seq[p] < MaxMovements /\ debt' = Noted(n)
  /\ \A t \in txs : t.pkg # p                     \* the lock of the package's row
  /\ seq' = [seq EXCEPT ![p] = @ + 1]
  /\ txs' = txs \cup {[pkg |-> p, seq |-> n[2], lane |-> l, wakes |-> lane[l].state = "idle" /\ ~Locked(l)]}
  /\ notified' = IF Broken = "enqueued after the commit" THEN notified \cup {n} ELSE notified
  /\ UNCHANGED <<active, generation, disables, lane, waiting, job, nextClaim, delivery, dead, excused, seen>>

\* Code: src/queue/enqueue.ts enqueuing "disabled_at is null"
EnqueueNone(p) ==
  LET n == <<p, seq[p] + 1>> IN
  /\ ~active /\ seq[p] < MaxMovements /\ debt' = Noted(n)
  /\ \A t \in txs : t.pkg # p
  /\ seq' = [seq EXCEPT ![p] = @ + 1]
  /\ txs' = txs \cup {[pkg |-> p, seq |-> n[2], lane |-> <<0, 0>>, wakes |-> FALSE]}
  /\ UNCHANGED <<active, generation, disables, lane, waiting, job, nextClaim, delivery, notified, dead, excused, seen>>

\* Code: src/packages/move-packages.ts movePackages "transaction(db"
Commit(t) ==
  /\ txs' = txs \ {t}
  /\ waiting' = IF Silent(t) THEN waiting ELSE waiting \cup {[lane |-> t.lane, pkg |-> t.pkg, seq |-> t.seq]}
  /\ notified' = IF Silent(t) THEN notified ELSE notified \cup {<<t.pkg, t.seq>>}
  /\ lane' = IF t.wakes /\ lane[t.lane].state = "idle" THEN [lane EXCEPT ![t.lane].state = "ready"] ELSE lane
  /\ UNCHANGED <<active, generation, disables, seq, job, nextClaim, delivery, dead, excused, debt, seen>>

\* World: the process that enqueues dies, or its transaction is rolled back.
Rollback(t) ==
  /\ txs' = txs \ {t}
  /\ seq' = IF Broken = "enqueued after the commit" THEN seq ELSE [seq EXCEPT ![t.pkg] = @ - 1]
  /\ debt' = [debt EXCEPT !.window = @ \ {<<t.pkg, t.seq>>}]
  /\ UNCHANGED <<active, generation, disables, lane, waiting, job, nextClaim, delivery, notified, dead, excused, seen>>

-----------------------------------------------------------------------------
Claimable(l) ==
  /\ ~lane[l].stopping
  /\ \/ lane[l].state \in {"ready", "waiting"}
     \/ lane[l].state = "leased" /\ (lane[l].expired \/ Broken = "leased lanes are claimed")

\* Code: src/queue/claim.ts promptLanes "for update skip locked"
Claim(l) ==
  LET c == nextClaim d == lane[l].delivery IN
  /\ active /\ c <= MaxClaims /\ Claimable(l)
  /\ nextClaim' = c + 1
  /\ Set(l, [lane[l] EXCEPT !.state = "leased", !.claim = c, !.expired = FALSE])
  /\ job' = [job EXCEPT ![c] = [None EXCEPT !.stage = IF d = 0 \/ Broken = "frozen anew" THEN "claimed" ELSE "frozen",
                                            !.lane = l, !.delivery = d]]
  /\ UNCHANGED <<queue, waiting, delivery, dead, excused, seen>>

\* Code: src/queue/claim.ts leasing "case when active then 'leased' else 'stopped' end"
BeginStop(l) ==          \* the statement has seen a disabled endpoint, and holds the lane's lock until it ends
  /\ ~active /\ Claimable(l)
  /\ Set(l, [lane[l] EXCEPT !.stopping = TRUE])
  /\ UNCHANGED <<queue, waiting, job, nextClaim, delivery, dead, excused, seen>>

\* Code: src/queue/claim.ts leasing "claim_id = case when active"
EndStop(l) ==
  /\ lane[l].stopping
  /\ Leave(l, "stopped", lane[l].delivery)
  /\ UNCHANGED <<queue, waiting, job, nextClaim, delivery, dead, excused, seen>>

GoesFirst(n) == \A m \in waiting : m.lane = n.lane /\ m.pkg = n.pkg =>
  IF Broken = "the newest goes first" THEN m.seq <= n.seq ELSE m.seq >= n.seq
Oldest(l) == {<<n.pkg, n.seq>> : n \in {w \in waiting : w.lane = l /\ GoesFirst(w)}}

\* Code: src/queue/freeze.ts nextNotifications "oldestWaiting"
Choose(c) ==
  /\ At(c, "claimed")
  /\ LET chosen == Oldest(job[c].lane) IN
     job' = [job EXCEPT ![c].stage = IF chosen = {} THEN "empty" ELSE "chosen", ![c].chosen = chosen]
  /\ UNCHANGED <<queue, lane, waiting, nextClaim, delivery, dead, excused, seen>>

\* Code: src/queue/lanes.ts releaseLanes "claim_id = any"
GiveBack(c) ==           \* an empty lane, or one whose lease would end before a request does
  LET l == job[c].lane IN
  /\ At(c, "empty") \/ (At(c, "frozen") /\ ~(Holds(c) /\ ~lane[l].expired))
  /\ IF Holds(c) THEN Leave(l, IF At(c, "empty") THEN "idle" ELSE "ready", lane[l].delivery) ELSE UNCHANGED lane
  /\ End(c)
  /\ UNCHANGED <<queue, waiting, nextClaim, delivery, dead, excused, seen>>

\* Code: src/queue/freeze.ts freezeDeliveries "lane.claim_id = leased.claim_id and lane.webhook_id is null"
Freeze(c) ==
  LET l == job[c].lane d == IF lane[l].delivery = 0 THEN c ELSE lane[l].delivery IN
  /\ At(c, "chosen")
  /\ IF Broken = "frozen by anybody" \/ (Holds(c) /\ (lane[l].delivery = 0 \/ Broken = "frozen anew"))
     THEN /\ Set(l, [lane[l] EXCEPT !.delivery = d])
          /\ delivery' = [delivery EXCEPT ![d].members = job[c].chosen]
          /\ job' = [job EXCEPT ![c].stage = "frozen", ![c].chosen = {}, ![c].delivery = d]
     ELSE End(c) /\ UNCHANGED <<lane, delivery>>
  /\ UNCHANGED <<queue, waiting, nextClaim, dead, excused, seen>>

\* Code: src/webhook/attempt.ts attempt "deps.settings.deadlineMs > leasedUntil"
Send(c) ==
  /\ At(c, "frozen")
  /\ (Holds(c) /\ ~lane[job[c].lane].expired) \/ Broken = "requests outlive leases"
  /\ job' = [job EXCEPT ![c].stage = "sending"]
  /\ UNCHANGED <<queue, lane, waiting, nextClaim, delivery, dead, excused, seen>>

\* World: the receiver gets the request and answers: "ok" acknowledges, "no" refuses, or its answer is lost; "gone" is 410.
Arrive(c, answer) ==
  LET d == job[c].delivery members == delivery[d].members IN
  /\ At(c, "sending")
  /\ job' = [job EXCEPT ![c].stage = "answered", ![c].answer = answer]
  /\ delivery' = [delivery EXCEPT ![d].sent = IF @ = {} THEN members ELSE @]
  /\ latest' = [p \in Packages |-> IF \E m \in members : m[1] = p THEN (CHOOSE m \in members : m[1] = p)[2] ELSE latest[p]]
  /\ acked' = IF answer = "ok" THEN acked \cup members ELSE acked
  /\ faults' = faults
       \cup (IF \E m \in members : m[2] < latest[m[1]] THEN {"an older state after a newer one"} ELSE {})
       \cup (IF delivery[d].sent \notin {{}, members} THEN {"other bytes"} ELSE {})
       \cup (IF members \cap (acked \ excused) # {} THEN {"a duplicate for no reason"} ELSE {})
  /\ UNCHANGED <<queue, lane, waiting, nextClaim, dead, excused>>

\* Code: src/queue/record.ts recordResults "lane.claim_id = result.claim_id"
Record(c) ==
  LET l == job[c].lane
      d == job[c].delivery
      isLast == delivery[d].attempts + 1 >= MaxAttempts
      isOver == job[c].answer = "ok" \/ (job[c].answer = "no" /\ isLast)
      rest == {n \in waiting : n.lane # l \/ <<n.pkg, n.seq>> \notin delivery[d].members}
      more == \E n \in rest : n.lane = l
  IN
  /\ At(c, "answered") /\ End(c)
  /\ IF ~Holds(c) /\ Broken # "recorded by anybody"
     THEN UNCHANGED <<active, lane, waiting, delivery, dead, debt>>
     ELSE /\ waiting' = IF isOver \/ Broken = "refused deliveries are removed" THEN rest ELSE waiting
          /\ dead' = IF isOver /\ job[c].answer # "ok" THEN dead \cup delivery[d].members ELSE dead
          /\ active' = (active /\ job[c].answer # "gone")
          /\ debt' = IF active /\ ~active' /\ Broken # "nothing is owed after 410" THEN Owing ELSE debt
          /\ delivery' = [delivery EXCEPT ![d].attempts = IF isOver THEN 0 ELSE @ + 1]
          /\ IF isOver THEN Leave(l, IF more THEN "ready" ELSE "idle", 0)
             ELSE Leave(l, IF job[c].answer = "gone" THEN "stopped" ELSE "waiting", d)
  /\ UNCHANGED <<generation, disables, txs, seq, notified, nextClaim, excused, seen>>

\* World: a worker dies, at any point.
Kill(c) ==
  /\ job[c].stage \notin {"none", "over"} /\ End(c)
  /\ excused' = IF job[c].stage \in {"sending", "answered"} THEN excused \cup delivery[job[c].delivery].members ELSE excused
  /\ UNCHANGED <<queue, lane, waiting, nextClaim, delivery, dead, seen>>

\* World: a lease runs out; not while a request is under way, as Send has looked at the clock.
Expire(l) ==
  LET mine == {c \in Claims : lane[l].claim = c} IN
  /\ lane[l].state = "leased" /\ ~lane[l].expired
  /\ Broken = "requests outlive leases" \/ \A c \in mine : ~At(c, "sending")
  /\ Set(l, [lane[l] EXCEPT !.expired = TRUE])
  /\ excused' = excused \cup UNION {delivery[job[c].delivery].members : c \in {d \in mine : At(d, "answered")}}
  /\ UNCHANGED <<queue, waiting, job, nextClaim, delivery, dead, seen>>

-----------------------------------------------------------------------------
Sleeps(l) == Broken # "no sweep of idle lanes" /\ lane[l].state = "idle" /\ Waits(l)
\* Code: src/queue/lanes.ts wakeIdleLanes "state = 'idle'"
WakeIdle(l) ==
  /\ Sleeps(l) /\ ~Locked(l)
  /\ Set(l, [lane[l] EXCEPT !.state = "ready"])
  /\ UNCHANGED <<queue, waiting, job, nextClaim, delivery, dead, excused, seen>>

IsForgotten(l) == Broken # "no sweep of stopped lanes" /\ lane[l].state = "stopped" /\ active
\* Code: src/queue/lanes.ts wakeStoppedLanes "state = 'stopped'"
WakeStopped(l) ==
  /\ IsForgotten(l)
  /\ Set(l, [lane[l] EXCEPT !.state = "ready"])
  /\ UNCHANGED <<queue, waiting, job, nextClaim, delivery, dead, excused, seen>>

\* Code: src/endpoints/endpoints.ts disableEndpoint "disabled_reason: 'operator'"
Disable ==
  /\ active /\ disables < MaxDisables
  /\ \A t \in txs : Silent(t)                            \* FOR UPDATE waits for those who enqueue
  /\ active' = FALSE /\ disables' = disables + 1 /\ debt' = Owing
  /\ UNCHANGED <<generation, txs, seq, notified, lane, waiting, job, nextClaim, delivery, dead, excused, seen>>

\* Code: src/endpoints/endpoints.ts enableEndpoint "restartLanes"
Enable ==
  LET again == {l \in Lanes : lane[l].state \in {"stopped", "waiting"}} IN
  /\ ~active /\ active' = TRUE /\ \A t \in txs : Silent(t)
  /\ \A l \in again : ~lane[l].stopping                  \* waits for the lock of the row
  /\ lane' = [l \in Lanes |-> IF l \in again THEN [lane[l] EXCEPT !.state = "ready"] ELSE lane[l]]
  /\ delivery' = [c \in Claims |-> IF \E l \in again : lane[l].delivery = c THEN [delivery[c] EXCEPT !.attempts = 0] ELSE delivery[c]]
  /\ UNCHANGED <<generation, disables, txs, seq, notified, waiting, job, nextClaim, dead, excused, debt, seen>>

\* Code: src/queue/catch-ups.ts begin "coalesce(awaited, transactions)"
AwaitOpen ==             \* sees those who found the endpoint disabled, and others, by their locks of the table
  /\ active /\ debt.state = "owed"
  /\ debt' = [debt EXCEPT !.state = "awaiting", !.awaited = IF Broken = "nobody is awaited" THEN {} ELSE txs]
  /\ UNCHANGED <<active, generation, disables, txs, seq, notified, lane, waiting, job, nextClaim, delivery, dead, excused, seen>>

\* Code: src/queue/catch-ups.ts begin "when 0 then clock_timestamp()"
BeginCatchUp ==
  /\ active /\ debt.state = "awaiting" /\ debt.awaited \cap txs = {}
  /\ LET visible == {n \in debt.window : ~\E t \in txs : <<t.pkg, t.seq>> = n}
         left == {p \in Packages : \E n \in visible : n[1] = p} IN
     debt' = IF left = {} THEN NoDebt ELSE [debt EXCEPT !.state = "looking", !.left = left]
  /\ UNCHANGED <<active, generation, disables, txs, seq, notified, lane, waiting, job, nextClaim, delivery, dead, excused, seen>>

\* Code: src/packages/catch-up.ts notifyNewest "for no key update"
CatchUp(p) ==            \* a transaction: cut off, it looks at the package again
  LET l == LaneOf(p) n == <<p, seq[p]>> isOwed == n \in debt.window left == debt.left \ {p} IN
  /\ active /\ debt.state = "looking" /\ p \in debt.left
  /\ \A t \in txs : t.pkg # p                           \* the lock of the package's row
  /\ debt' = IF left = {} THEN NoDebt ELSE [debt EXCEPT !.left = left]
  /\ waiting' = IF isOwed THEN waiting \cup {[lane |-> l, pkg |-> p, seq |-> seq[p]]} ELSE waiting
  /\ notified' = IF isOwed THEN notified \cup {n} ELSE notified
  /\ excused' = IF isOwed /\ n \in notified THEN excused \cup {n} ELSE excused
  /\ lane' = IF isOwed /\ lane[l].state = "idle" /\ ~Locked(l) THEN [lane EXCEPT ![l].state = "ready"] ELSE lane
  /\ UNCHANGED <<active, generation, disables, txs, seq, job, nextClaim, delivery, dead, seen>>

\* Code: src/endpoints/own-lanes.ts replaceLanes "'held'"
ReplaceLanes ==
  /\ Second > 0 /\ generation = 1 /\ generation' = 2
  /\ (\A t \in txs : Silent(t)) \/ Broken = "lanes change beside enqueuers"
  /\ lane' = [l \in Lanes |-> IF l[1] = 2 THEN Row(IF Broken = "new lanes are not held" THEN "idle" ELSE "held") ELSE lane[l]]
  /\ UNCHANGED <<active, disables, txs, seq, notified, waiting, job, nextClaim, delivery, dead, excused, debt, seen>>

OlderAreEmpty == \A l \in Lanes : l[1] = 1 =>
  /\ lane[l].delivery = 0
  /\ lane[l].state # "leased"
  /\ ~Waits(l) \/ Broken = "older lanes go with what waits"
\* Code: src/queue/lanes.ts releasingHeldLanes "lane.state = 'held'"
ReleaseHeld ==
  /\ generation = 2 /\ OlderAreEmpty /\ \E l \in Lanes : lane[l].state = "held"
  /\ lane' = [l \in Lanes |-> IF l[1] = 1 THEN Row("none") ELSE IF lane[l].state = "held" THEN [lane[l] EXCEPT !.state = "ready"] ELSE lane[l]]
  /\ UNCHANGED <<queue, waiting, job, nextClaim, delivery, dead, excused, seen>>

Next ==
  \/ \E p \in Packages : Enqueue(p) \/ EnqueueNone(p) \/ CatchUp(p)
  \/ \E t \in txs : Commit(t) \/ Rollback(t)
  \/ \E l \in Lanes : Claim(l) \/ BeginStop(l) \/ EndStop(l) \/ Expire(l) \/ WakeIdle(l) \/ WakeStopped(l)
  \/ \E c \in Claims : Choose(c) \/ GiveBack(c) \/ Freeze(c) \/ Send(c) \/ Record(c) \/ Kill(c)
  \/ \E c \in Claims, answer \in {"ok", "no", "gone"} : Arrive(c, answer)
  \/ Disable \/ Enable \/ AwaitOpen \/ BeginCatchUp \/ ReplaceLanes \/ ReleaseHeld

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* "At least once: what was committed is delivered, or kept as a dead letter."
NothingLost == \A n \in notified : n \in acked \cup dead
  \/ \E w \in waiting : <<w.pkg, w.seq>> = n /\ lane[w.lane].state # "none"

\* "A receiver that keeps the newest state of each package knows it": once nothing is owed, the newest movement is
\* acknowledged, given up, or waits.
NothingOwed == active /\ debt.state = "none" => \A p \in Packages : LET n == <<p, seq[p]>> IN
  seq[p] = 0 \/ (\E t \in txs : t.pkg = p) \/ n \in acked \cup dead \/ \E w \in waiting : <<w.pkg, w.seq>> = n

\* "In order for each package and endpoint", "same webhook-id, same bytes", and "duplicates only where a worker died, or
\* the answer was lost, between request and record".
ReceiverIsServed == faults = {}

\* "One delivery of a lane is under way at a time."
OneUnderWay == \A c, d \in Claims : At(c, "sending") /\ At(d, "sending") /\ job[c].lane = job[d].lane => c = d

\* "An enqueuer wakes the lane. What both miss, a sweep finds": whatever waits for an active endpoint is taken one day.
NothingStuck == \A l \in Lanes : Waits(l) /\ active =>
  \/ lane[l].state \in {"ready", "leased", "waiting"}
  \/ lane[l].state = "held" /\ (~OlderAreEmpty \/ ENABLED ReleaseHeld)
  \/ Sleeps(l) \/ IsForgotten(l)
=============================================================================
