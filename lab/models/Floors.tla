------------------------------- MODULE Floors -------------------------------
(* The floor from which a worker reads a lane: no notification below it is waiting, and none will be, though            *)
(* transactions are committed in another order than that of their ids and of the ids of their notifications.             *)
(*                                                                                                                       *)
(* What it cannot say: several lanes, whose floors learn from each other's freezes; another server after a failover,     *)
(* for which a worker begins anew; transactions of other databases of the server, which only hold a floor back.          *)
EXTENDS Integers, FiniteSets

CONSTANTS
  Enqueuers,          \* 1..n, each with one transaction and one notification
  MaxFreezes,
  Broken              \* the guard that is left out; "" is the code as it is

VARIABLES
  xid, id,            \* enqueuer -> the number of its transaction, and of its notification; 0: not yet
  nextXid, nextId,
  visible, removed,   \* notifications: committed, and acknowledged
  ended,              \* enqueuers whose transaction has ended
  floor, settledId, newestId, unsettled,      \* what the worker knows
  chosen, freezes     \* the notification that it has read as the oldest, or 0

vars == <<xid, id, nextXid, nextId, visible, removed, ended, floor, settledId, newestId, unsettled, chosen, freezes>>
worker == <<removed, floor, settledId, newestId, unsettled, chosen, freezes>>
Min(s) == CHOOSE a \in s : \A b \in s : a <= b
Max(s) == CHOOSE a \in s : \A b \in s : a >= b

Init ==
  /\ xid = [e \in Enqueuers |-> 0] /\ id = [e \in Enqueuers |-> 0] /\ nextXid = 1 /\ nextId = 1
  /\ visible = {} /\ removed = {} /\ ended = {}
  /\ floor = 0 /\ settledId = 0 /\ newestId = 0 /\ unsettled = [id |-> 0, before |-> 0] /\ chosen = 0 /\ freezes = 0

HasBegun(e) == xid[e] # 0 \/ id[e] # 0
Turn(e) == \A f \in Enqueuers : f < e => HasBegun(f)     \* one is like another: they are numbered as they begin

\* Code: src/queue/enqueue.ts enqueuing "order by account_id, url for key share"
TakeXid(e) ==            \* a lock of a row gives the transaction its number
  /\ Turn(e) /\ xid[e] = 0 /\ (id[e] # 0) = (Broken = "a notification has its id before its transaction")
  /\ xid' = [xid EXCEPT ![e] = nextXid] /\ nextXid' = nextXid + 1
  /\ UNCHANGED <<id, nextId, visible, ended, worker>>

\* Code: src/queue/enqueue.ts enqueuingFor "insert into webhook_notifications"
TakeId(e) ==
  /\ Turn(e) /\ id[e] = 0 /\ (xid[e] # 0) = (Broken # "a notification has its id before its transaction")
  /\ id' = [id EXCEPT ![e] = nextId] /\ nextId' = nextId + 1
  /\ UNCHANGED <<xid, nextXid, visible, ended, worker>>

\* World: a transaction is committed. One that is rolled back is of no concern: nobody sees its notification.
EndTransaction(e) ==
  /\ xid[e] # 0 /\ id[e] # 0 /\ e \notin ended /\ ended' = ended \cup {e} /\ visible' = visible \cup {id[e]}
  /\ UNCHANGED <<xid, id, nextXid, nextId, worker>>

Waiting == visible \ removed
\* Code: src/queue/freeze.ts nextNotifications "floorsNow.read(laneIds, head)"
ReadLane ==
  LET head == {n \in Waiting : n >= floor} IN
  /\ chosen = 0 /\ freezes < MaxFreezes
  /\ IF head = {} THEN chosen' = 0 /\ floor' = 0 /\ UNCHANGED newestId
     ELSE /\ chosen' = Min(head) /\ newestId' = Max(head \cup {newestId})
          /\ floor' = IF Broken = "a floor is the oldest that was read" \/ Min(head) < settledId + 1 THEN Min(head) ELSE settledId + 1
  /\ UNCHANGED <<xid, id, nextXid, nextId, visible, ended, removed, settledId, unsettled, freezes>>

\* Code: src/queue/floors.ts createFloors "moment.oldest < unsettled.before"
LearnFreeze ==           \* a freeze has a transaction, and sees which is the oldest that runs; what was read goes at last
  LET running == {xid[e] : e \in {f \in Enqueuers : xid[f] # 0 /\ f \notin ended}}
      oldest == IF running = {} THEN nextXid ELSE Min(running) IN
  /\ chosen # 0 /\ chosen' = 0 /\ removed' = removed \cup {chosen} /\ freezes' = freezes + 1 /\ nextXid' = nextXid + 1
  /\ IF oldest < unsettled.before /\ Broken # "all is settled that was read before" THEN UNCHANGED <<settledId, unsettled>>
     ELSE settledId' = unsettled.id /\ unsettled' = [id |-> newestId, before |-> nextXid]
  /\ UNCHANGED <<xid, id, nextId, visible, ended, floor, newestId>>

Next ==
  \/ ReadLane \/ LearnFreeze
  \/ \E e \in Enqueuers : TakeXid(e) \/ TakeId(e) \/ EndTransaction(e)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* "It is read from a floor on, below which no notification can come any more."
NothingBelow == \A n \in Waiting : n >= floor
=============================================================================
