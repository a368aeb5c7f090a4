----------------------------- MODULE Partitions -----------------------------
(* The conversion of a plain table of orders into a partitioned one, beside a service that goes on writing and reading:  *)
(* externalIds stay unique and are found, though their uniqueness moves from an index of the table to a table of keys.   *)
(*                                                                                                                       *)
(* What it cannot say: time (a boundary is said to come, or not to); the columns of a key; how long who waits; processes *)
(* before 1.3, which the conversion refuses to go on beside; retention, which drops partitions and then their keys.      *)
EXTENDS Integers, FiniteSets

CONSTANTS
  Ids,                \* 1..n, ids of orders in the order of the key; each writer inserts one
  Names,              \* externalIds: order i has the name (i - 1) % Names
  Old,                \* orders that were there before
  Chunk, MaxCuts,     \* rows that are copied at once; times that the conversion is cut off
  Broken              \* the guard that is left out; "" is the code as it is

VARIABLES
  rows, keys,         \* committed: ids of orders; pairs of an externalId and its order
  writer,             \* id -> what its statement does: "new", "plain" or "keyed" (it runs), "done" or "filed" (so written), "taken"
  wrote,              \* id -> TRUE: its statement began when the trigger was there
  trigger, last, switched,           \* the trigger is there; the copy has come to this id; the table is partitioned
  step, cuts, boundary, isLate       \* what the conversion does; the check is there; its time is near

vars == <<rows, keys, writer, wrote, trigger, last, switched, step, cuts, boundary, isLate>>
data == <<rows, keys, writer, wrote>>
Name(i) == (i - 1) % Names
Running == {i \in Ids : writer[i] \in {"plain", "keyed"}}
Keys(of) == {<<Name(i), i>> : i \in of}
IsKey(n) == \E k \in keys : k[1] = n

Init ==
  /\ rows = Old /\ keys = {} /\ writer = [i \in Ids |-> IF i \in Old THEN "done" ELSE "new"] /\ wrote = [i \in Ids |-> FALSE]
  /\ trigger = FALSE /\ last = 0 /\ switched = FALSE /\ step = "start" /\ cuts = 0 /\ boundary = FALSE /\ isLate = FALSE

\* Code: src/orders/placing/insert-orders.ts insertionText "orders_are_partitioned()"
Insert(i) ==             \* the statement begins: it holds the table's lock until it is committed
  /\ writer[i] = "new" /\ step # "locked"
  /\ writer' = [writer EXCEPT ![i] = IF switched THEN "keyed" ELSE "plain"] /\ wrote' = [wrote EXCEPT ![i] = trigger]
  /\ UNCHANGED <<rows, keys, trigger, last, switched, step, cuts, boundary, isLate>>

\* Code: src/orders/placing/insert-orders.ts insertionText "on conflict do nothing"
CommitOrder(i) ==        \* waits for another one of this name: the index of the plain table decides, or the table of keys
  LET isTaken == IF writer[i] = "keyed" THEN IsKey(Name(i)) ELSE \E j \in rows : Name(j) = Name(i) /\ writer[j] = "done" IN
  /\ i \in Running
  /\ IF isTaken THEN /\ writer' = [writer EXCEPT ![i] = "taken"] /\ UNCHANGED <<rows, keys>>
     ELSE /\ rows' = rows \cup {i} /\ writer' = [writer EXCEPT ![i] = IF @ = "keyed" THEN "filed" ELSE "done"]
          /\ keys' = IF writer[i] = "keyed" \/ wrote[i] THEN keys \cup {<<Name(i), i>>} ELSE keys
  /\ UNCHANGED <<wrote, trigger, last, switched, step, cuts, boundary, isLate>>

\* Code: src/db/partitions/order-keys.ts addTrigger "create or replace trigger"
AddTrigger ==            \* waits for the statements that have begun without it
  /\ step = "start" /\ step' = "copy" /\ trigger' = TRUE
  /\ Running = {} \/ trigger \/ Broken = "the trigger does not wait for writers"
  /\ UNCHANGED <<data, last, switched, cuts, boundary, isLate>>

\* Code: src/db/partitions/order-keys.ts copyChunk "order by ${sql.ref(id)} limit ${CHUNK}"
CopyChunk ==
  LET left == {i \in rows : i > last}
      chunk == {i \in left : Cardinality({j \in left : j <= i}) <= Chunk}
      end == IF chunk = {} THEN last ELSE CHOOSE i \in chunk : \A j \in chunk : j <= i
  IN
  /\ step = "copy"
  /\ keys' = keys \cup {k \in Keys(chunk) : ~\E other \in keys : other[1] = k[1]}
  /\ last' = end
  /\ step' = IF Cardinality(chunk) < Chunk THEN "bound" ELSE step
  /\ UNCHANGED <<rows, writer, wrote, trigger, switched, cuts, boundary, isLate>>

\* Code: src/db/partitions/convert.ts bound "GRACE_MS / 2"
Bound ==                 \* a check that is there and whose time is far is used again
  /\ step = "bound" /\ step' = "validated" /\ boundary' = TRUE /\ isLate' = FALSE
  /\ UNCHANGED <<data, trigger, last, switched, cuts>>

\* World: the conversion takes long, and the time of its boundary comes near.
Delay ==
  /\ boundary /\ ~isLate /\ isLate' = TRUE
  /\ UNCHANGED <<data, trigger, last, switched, step, cuts, boundary>>

\* Code: src/db/partitions/convert.ts dropStaleBoundaries "GRACE_MS / 2"
DropStale ==             \* by any process
  /\ boundary /\ isLate /\ ~switched /\ step # "locked" /\ boundary' = FALSE /\ isLate' = FALSE
  /\ UNCHANGED <<data, trigger, last, switched, step, cuts>>

\* Code: src/db/partitions/convert.ts lockAll "in access exclusive mode"
LockTables ==
  /\ step = "validated" /\ (Running = {} \/ Broken = "the tables are replaced beside writers")
  /\ step' = IF boundary \/ Broken = "the boundary is not looked for again" THEN "locked" ELSE "start"
  /\ UNCHANGED <<data, trigger, last, switched, cuts, boundary, isLate>>

\* Code: src/db/partitions/order-keys.ts useKeys "select true"
Switch ==                \* in one transaction with the replacement of the tables
  /\ step = "locked" /\ step' = "done" /\ switched' = TRUE /\ trigger' = FALSE
  /\ UNCHANGED <<data, last, cuts, boundary, isLate>>

\* World: the conversion is cut off, and begins again later.
Cut ==
  /\ step \notin {"start", "done"} /\ cuts < MaxCuts /\ cuts' = cuts + 1 /\ step' = "start"
  /\ trigger' = IF Broken = "a conversion that is cut off drops its triggers" THEN FALSE ELSE trigger
  /\ UNCHANGED <<data, last, switched, boundary, isLate>>

Next ==
  \/ \E i \in Ids : Insert(i) \/ CommitOrder(i)
  \/ AddTrigger \/ CopyChunk \/ Bound \/ Delay \/ DropStale \/ LockTables \/ Switch \/ Cut

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* "Uniqueness": of one externalId an account has one order.
Unique == \A i, j \in rows : Name(i) = Name(j) => i = j

\* "Nobody is refused for nothing": an externalId is taken only where there is its order.
RefusedForAnOrder == \A i \in Ids : writer[i] = "taken" => \E j \in rows : Name(j) = Name(i)

\* What looks orders up by their externalId finds all: in the plain table, and then in the table of keys.
AllAreFound == switched => \A i \in rows : <<Name(i), i>> \in keys

\* "A partitioned table takes the plain one's place only as long as all its rows are older than the boundary".
BoundaryHolds == step \in {"locked", "done"} => boundary
=============================================================================
