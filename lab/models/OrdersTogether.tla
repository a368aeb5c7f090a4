--------------------------- MODULE OrdersTogether ---------------------------
(* Orders that come while others are written go together in the next batch: each is all or nothing, fails alone, and is  *)
(* answered for what was committed, also when a lock is held, the database refuses one, or its answer is lost.           *)
(*                                                                                                                       *)
(* What it cannot say: sizes and times, but for the order in which they end; more than one process, whose requests under *)
(* one key meet as a request and its repetition do here; prices, and the plan that is decided before.                    *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
  Orders,             \* 1..n, in the order in which they come
  Wrong,              \* those that the database refuses
  Keyed,              \* those that are repeated under one Idempotency-Key: the later is the repetition of the earlier
  Most,               \* orders in a batch
  MaxLost,            \* answers that are lost
  Broken              \* the guard that is left out; "" is the code as it is

VARIABLES
  come, waiting, alone, apart,       \* orders: that have come; that wait for a batch, or to go alone; TRUE: the account is set apart
  batch, rest,        \* orders that are being written together, and the other half of them
  step,               \* "idle", "sent": the statement runs; "looking": its answer was lost
  mode,               \* of what is being written: "together" or "alone"
  running,            \* batches that the server goes on with though their connection is gone
  locked,             \* somebody holds the lock of the account of order 1
  committed,          \* orders, as a bag: order -> how often it was written
  keyAnswer,          \* the order whose answer is stored for the key, or 0
  firstLook,          \* orders that the look-up has found so far
  looks, answer, lost,
  passed              \* TRUE: an order of one account was passed over for two of another

vars == <<come, waiting, alone, apart, batch, rest, step, mode, running, locked, committed, keyAnswer, firstLook, looks, answer, lost, passed>>
queues == <<come, waiting, alone, apart, passed>>
Account(o) == IF o = 1 THEN 1 ELSE IF o = 2 THEN 1 ELSE o
Front(s, n) == SubSeq(s, 1, IF Len(s) < n THEN Len(s) ELSE n)
Back(s, n) == SubSeq(s, n + 1, Len(s))
Set(s) == {s[i] : i \in 1..Len(s)}
Half(s) == (Len(s) + 1) \div 2

Init ==
  /\ come = 0 /\ waiting = <<>> /\ alone = <<>> /\ apart = FALSE /\ batch = <<>> /\ rest = <<>> /\ step = "idle" /\ mode = "together"
  /\ running = {} /\ locked = FALSE /\ committed = [o \in Orders |-> 0] /\ keyAnswer = 0
  /\ firstLook = {} /\ looks = 0 /\ answer = [o \in Orders |-> ""] /\ lost = 0 /\ passed = FALSE

IsApart(o) == apart /\ Account(o) = 1
InTurn(s) ==             \* one order of each account in turn, of each account the oldest
  LET firsts == SelectSeq(s, LAMBDA o : \A p \in Set(s) : Account(p) = Account(o) => p >= o) IN
  IF Broken = "accounts take no turns" THEN s ELSE firsts \o SelectSeq(s, LAMBDA o : o \notin Set(firsts))

\* Code: src/orders/placing/joint-queue.ts createJointQueue "apart.has(work) ? alone : together"
Come ==
  LET o == come + 1 IN
  /\ o \in Orders /\ come' = o
  /\ (o \in Keyed => \A p \in Keyed : p < o => answer[p] # "")        \* keysInUse refuses a second one at once
  /\ IF IsApart(o) THEN alone' = Append(alone, o) /\ UNCHANGED waiting ELSE waiting' = Append(waiting, o) /\ UNCHANGED alone
  /\ UNCHANGED <<apart, passed, batch, rest, step, mode, running, locked, committed, keyAnswer, firstLook, looks, answer, lost>>

\* Code: src/orders/placing/joint-queue.ts nextBatch "waiting.take(fits)"
Begin ==
  /\ step = "idle" /\ batch = <<>> /\ rest = <<>>
  /\ IF waiting # <<>>
     THEN /\ batch' = Front(InTurn(waiting), Most) /\ mode' = "together"
          /\ waiting' = SelectSeq(waiting, LAMBDA o : o \notin Set(batch')) /\ UNCHANGED alone
          /\ passed' = (passed \/ \E w \in Set(waiting') : \E a, b \in Set(batch') :
               a # b /\ Account(a) = Account(b) /\ \A x \in Set(batch') : Account(x) # Account(w))
     ELSE /\ alone # <<>> /\ batch' = <<Head(alone)>> /\ alone' = Tail(alone) /\ mode' = "alone" /\ UNCHANGED <<waiting, passed>>
  /\ step' = "sent"
  /\ UNCHANGED <<come, apart, rest, running, locked, committed, keyAnswer, firstLook, looks, answer, lost>>

IsAnswered(o) == o \in Keyed /\ keyAnswer # 0
Refuses(s) == \E o \in Set(s) : o \in Wrong /\ ~IsAnswered(o)
Waits(s) == locked /\ \E o \in Set(s) : Account(o) = 1
Writes(s) == [o \in Orders |-> IF o \in Set(s) /\ ~IsAnswered(o) THEN committed[o] + 1 ELSE committed[o]]
KeyAfter(s) == IF keyAnswer = 0 /\ Set(s) \cap Keyed # {} THEN CHOOSE o \in Set(s) \cap Keyed : TRUE ELSE keyAnswer
Says(o) == IF IsAnswered(o) /\ keyAnswer # o THEN "again" ELSE "placed"
Go(next, other) ==       \* on with the other half, or with nothing
  /\ batch' = next /\ rest' = other /\ step' = IF next = <<>> THEN "idle" ELSE "sent"

\* Code: src/orders/placing/write-batch.ts writeUnderKeys "claims.get(key.scope)?.kind === 'free'"
Write ==                 \* the statement and its commit, which is answered
  /\ step = "sent" /\ ~Refuses(batch) /\ ~Waits(batch)
  /\ committed' = Writes(batch) /\ keyAnswer' = IF Broken = "no answer is stored" THEN 0 ELSE KeyAfter(batch)
  /\ answer' = [o \in Orders |-> IF o \in Set(batch) THEN Says(o) ELSE answer[o]]
  /\ apart' = IF mode = "alone" THEN FALSE ELSE apart
  /\ Go(rest, <<>>)
  /\ UNCHANGED <<come, waiting, alone, passed, mode, running, locked, firstLook, looks, lost>>

\* Code: src/orders/placing/joint-queue.ts settleTogether "batch.slice(0, half)"
Halve ==                 \* the database refuses a batch as a whole: it is tried in halves, and one that is alone is refused
  /\ step = "sent" /\ Refuses(batch)
  /\ IF Len(batch) = 1 \/ Broken = "a batch fails as a whole"
     THEN /\ answer' = [o \in Orders |-> IF o \in Set(batch) THEN "refused" ELSE answer[o]] /\ Go(rest, <<>>)
     ELSE Go(Front(batch, Half(batch)), Back(batch, Half(batch)) \o rest) /\ UNCHANGED answer
  /\ UNCHANGED <<queues, mode, running, locked, committed, keyAnswer, firstLook, looks, lost>>

\* Code: src/orders/placing/joint-queue.ts settleTogether "if (isLockTimeout(error)) return batch"
SetApart ==              \* nobody else waits longer than 50 ms for the lock of an account
  /\ step = "sent" /\ mode = "together" /\ Waits(batch) /\ Broken # "a batch waits for a lock as long as an order alone"
  /\ alone' = alone \o batch /\ apart' = TRUE /\ Go(rest, <<>>)
  /\ UNCHANGED <<come, waiting, passed, mode, running, locked, committed, keyAnswer, firstLook, looks, answer, lost>>

\* Code: src/orders/placing/joint-queue.ts settleAlone "attempt().catch(reject)"
GiveUp ==                \* a lock is held for as long as an order waits for it
  /\ step = "sent" /\ mode = "alone" /\ Waits(batch)
  /\ answer' = [o \in Orders |-> IF o \in Set(batch) THEN "unknown" ELSE answer[o]] /\ Go(rest, <<>>)
  /\ UNCHANGED <<queues, mode, running, locked, committed, keyAnswer, firstLook, looks, lost>>

\* World: somebody locks an account, and lets it go.
Lock == locked' = ~locked /\ (locked \/ lost = 0)
  /\ UNCHANGED <<queues, batch, rest, step, mode, running, committed, keyAnswer, firstLook, looks, answer, lost>>

\* World: the connection is lost; the server goes on with what it was sent.
LoseAnswer ==
  /\ step = "sent" /\ lost < MaxLost /\ lost' = lost + 1
  /\ running' = running \cup {batch} /\ step' = "looking" /\ looks' = 0 /\ firstLook' = {}
  /\ UNCHANGED <<queues, batch, rest, mode, locked, committed, keyAnswer, answer>>

\* World: the server comes to the end of such a batch.
EndRunning(s) ==
  /\ s \in running /\ ~Waits(s) /\ running' = running \ {s}
  /\ IF Refuses(s) THEN UNCHANGED <<committed, keyAnswer>> ELSE committed' = Writes(s) /\ keyAnswer' = KeyAfter(s)
  /\ UNCHANGED <<queues, batch, rest, step, mode, locked, firstLook, looks, answer, lost>>

\* World: the server ends before that.
Crash(s) ==
  /\ s \in running /\ running' = running \ {s}
  /\ UNCHANGED <<queues, batch, rest, step, mode, locked, committed, keyAnswer, firstLook, looks, answer, lost>>

Found(o) == o \in firstLook
\* Code: src/orders/placing/write-batch.ts readAll "await getOrder"
LookUp ==                \* order by order: the commit may come between two of them
  /\ step = "looking" /\ looks < Len(batch) /\ looks' = looks + 1
  /\ firstLook' = IF committed[batch[looks + 1]] > 0 THEN firstLook \cup {batch[looks + 1]} ELSE firstLook
  /\ UNCHANGED <<queues, batch, rest, step, mode, running, locked, committed, keyAnswer, answer, lost>>

\* Code: src/orders/placing/write-batch.ts committedOutcomes "const written = await readAll"
Conclude ==              \* what was found shows that all was committed: it is read again, as a whole
  /\ step = "looking" /\ looks = Len(batch)
  /\ LET sure == {o \in Set(batch) : IF Broken = "what is looked up is read once" THEN Found(o) ELSE committed[o] > 0}
         told(o) == IF firstLook = {} THEN "unknown" ELSE IF o \in sure THEN "placed" ELSE IF IsAnswered(o) THEN "again" ELSE "refused"
     IN
     /\ answer' = [o \in Orders |-> IF o \in Set(batch) THEN told(o) ELSE answer[o]]
     /\ IF Broken = "what was not answered is run again" /\ firstLook = {} THEN batch' = batch /\ rest' = rest /\ step' = "sent"
        ELSE Go(rest, <<>>)
  /\ firstLook' = {} /\ looks' = 0
  /\ UNCHANGED <<queues, mode, running, locked, committed, keyAnswer, lost>>

Next ==
  \/ Come \/ Begin \/ Write \/ Halve \/ SetApart \/ GiveUp \/ Lock \/ LoseAnswer \/ LookUp \/ Conclude
  \/ \E s \in running : EndRunning(s) \/ Crash(s)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
Done(o) == answer[o] # ""

\* "Each order is all or nothing": it is written once, and under one key one order is.
WrittenOnce == /\ \A o \in Orders : committed[o] <= 1
               /\ Cardinality({o \in Keyed : committed[o] > 0}) <= 1

\* "Exactly once": what is answered is what was committed. Only "unknown", which is 503, may be either.
AnsweredForWhatIs == \A o \in Orders :
  /\ answer[o] = "placed" => committed[o] = 1
  /\ answer[o] \in {"refused", "again"} => committed[o] = 0
  /\ answer[o] = "refused" => o \in Wrong
  /\ answer[o] = "again" => keyAnswer # 0

\* No order is forgotten: it waits, is written, or is answered.
NoneForgotten == \A o \in 1..come : Done(o) \/ o \in Set(waiting) \cup Set(alone) \cup Set(batch) \cup Set(rest)

\* "Who sends one waits for one batch, however many another account sends".
InTurns == ~passed

\* "Orders of other accounts wait for a held lock 50 ms only": a batch of several can always be ended by its own process.
NobodyHeldUp == step = "sent" /\ mode = "together" /\ Waits(batch) => ENABLED SetApart
=============================================================================
