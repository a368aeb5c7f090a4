----------------------------- MODULE Movements -----------------------------
(* Movements of the packages of one order that come at once, late and in any order, and its cancellation beside them.    *)
(* An operator takes back a final status that was recorded by mistake.                                                   *)
(*                                                                                                                       *)
(* What it cannot say: proofs, PINs and ids of movements; a report from before the order, or from the future; several    *)
(* orders, whose rows are locked in the order of their ids after those of packages.                                      *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
  Packages, Times,    \* 1..n; times at which something happens, the earliest first
  Requests, Cancels,  \* 1..n: each reports one movement; those that cancel the order instead
  Reopens,            \* requests that take back the final status of a package instead
  Broken              \* the guard that is left out; "" is the code as it is

Final == {"delivered", "cancelled"}

VARIABLES
  row,                \* package -> its row, as committed
  history,            \* package -> its movements, as they were recorded
  order,              \* its status
  req,                \* request -> what it reports, how far it has come, and what it is to commit
  owner               \* package, or 0 for the order -> the request that holds its lock, or 0

vars == <<row, history, order, req, owner>>
Item == [status : {"moved", "delivered"}, at : Times, pkg : Packages]

Derived(stages) ==
  LET counted == stages \ {"cancelled"} IN
  IF counted = {} THEN "cancelled" ELSE IF counted = {"delivered"} THEN "completed"
  ELSE IF counted = {"created"} THEN "created" ELSE "processing"

Init ==
  /\ row = [p \in Packages |-> [status |-> "created", since |-> 0]]
  /\ history = [p \in Packages |-> <<>>] /\ order = "created" /\ owner = [x \in Packages \cup {0} |-> 0]
  /\ \E items \in [Requests -> Item] : req = [r \in Requests |->
       [step |-> "new", item |-> items[r], new |-> row, added |-> {}, takes |-> 0, back |-> 0, derived |-> "", says |-> ""]]

Step(r, changes) == req' = [req EXCEPT ![r] = changes]
Holds(r) == {p \in Packages : owner[p] = r}
Needs(r) == IF r \in Cancels \cup Reopens THEN Packages ELSE {req[r].item.pkg}
Take(r, x) == owner[x] = 0 /\ owner' = [owner EXCEPT ![x] = r]
Release(r) == owner' = [x \in DOMAIN owner |-> IF owner[x] = r THEN 0 ELSE owner[x]]
Early == Broken = "packages are read before they are locked"

\* World: the rows are read before they are locked, where that guard is left out.
Peek(r) ==
  /\ Early /\ req[r].step = "new" /\ Step(r, [req[r] EXCEPT !.step = "peeked", !.new = row])
  /\ UNCHANGED <<row, history, order, owner>>

\* Code: src/packages/move-packages.ts lockPackages "order by loggi_key"
\* Code: src/orders/lock-order.ts lockOrder ".orderBy('loggi_key')"
LockPackage(r, p) ==     \* in the order of their keys; what is read is what is there once the lock is given
  /\ req[r].step = IF Early THEN "peeked" ELSE "new"
  /\ p \in Needs(r) \ Holds(r)
  /\ Broken = "packages are locked in any order" \/ \A q \in Needs(r) \ Holds(r) : p <= q
  /\ Take(r, p)
  /\ Step(r, [req[r] EXCEPT !.step = IF Holds(r) \cup {p} = Needs(r) THEN "locked" ELSE @, !.new = IF Early THEN @ ELSE row])
  /\ UNCHANGED <<row, history, order>>

Refuse(r) == Step(r, [req[r] EXCEPT !.step = "done", !.says = "refused"]) /\ Release(r)

\* Code: src/packages/decide-movements.ts decideMovements "decide(item, progress)"
Decide(r) ==
  LET q == req[r] p == q.item.pkg now == q.new[p] ends == q.item.status \in Final
      isRefused == now.status \in Final /\ (q.item.at >= now.since \/ ends) /\ Broken # "a final status does not end a package"
      isCurrent == q.item.at >= now.since \/ (ends /\ Broken # "a late final status only joins the history")
  IN
  /\ r \notin Cancels \cup Reopens /\ q.step = "locked"
  /\ IF isRefused THEN Refuse(r)
     ELSE /\ Step(r, [q EXCEPT !.step = IF isCurrent THEN "decided" ELSE "derived", !.added = {p},
                               !.new = IF isCurrent THEN [@ EXCEPT ![p] = [status |-> q.item.status, since |-> q.item.at]] ELSE @])
          /\ UNCHANGED owner
  /\ UNCHANGED <<row, history, order>>

\* Code: src/orders/set-status.ts setOrderStatus "demandStep(order.status, status, packages)"
Cancel(r) ==
  LET q == req[r] open == {p \in Packages : q.new[p].status \notin Final}
      now == CHOOSE t \in Times \cup {0} : \A s \in Times : t >= s IN
  /\ r \in Cancels /\ q.step = "locked"
  /\ IF order \notin {"created", "processing"} \/ \E p \in Packages : q.new[p].status = "delivered" THEN Refuse(r)
     ELSE /\ Step(r, [q EXCEPT !.step = "decided", !.added = open, !.new =
               [p \in Packages |-> IF p \in open THEN [status |-> "cancelled", since |-> now] ELSE q.new[p]]])
          /\ UNCHANGED owner
  /\ UNCHANGED <<row, history, order>>

Last == CHOOSE t \in Times \cup {0} : \A s \in Times : t >= s
\* The movement that is current without the final ones; 0 is the package's creation.
Before(p) ==
  LET open == {i \in 1..Len(history[p]) : history[p][i].status \notin Final}
      later(i, j) == history[p][i].since > history[p][j].since \/ (history[p][i].since = history[p][j].since /\ i >= j)
      best == IF Broken = "the status recorded last comes back" THEN CHOOSE i \in open : \A j \in open : i >= j
              ELSE CHOOSE i \in open : \A j \in open : later(i, j)
  IN IF open = {} THEN 0 ELSE best

\* Code: src/orders/reopen-package.ts reopenPackage "await reopen(trx, actor,"
\* Code: src/packages/reopening.ts reopen "insertReopening(trx, loggiKey, movementId, ending.seq)"
Reopen(r) ==
  LET q == req[r] p == q.item.pkg mistake == {i \in 1..Len(history[p]) : history[p][i].status \in Final}
      status == IF Before(p) = 0 THEN "created" ELSE history[p][Before(p)].status IN
  /\ r \in Reopens /\ q.step = "locked"
  /\ IF q.new[p].status \notin Final THEN Refuse(r)
     ELSE /\ Step(r, [q EXCEPT !.step = "decided", !.added = {p}, !.takes = CHOOSE i \in mistake : \A j \in mistake : i >= j,
                               !.back = Before(p), !.new = [@ EXCEPT ![p] = [status |-> status, since |-> Last]]])
          /\ UNCHANGED owner
  /\ UNCHANGED <<row, history, order>>

Seen(r) == {IF p \in req[r].added THEN req[r].new[p].status ELSE row[p].status : p \in Packages}
Unlocked == Broken = "stages are read before the order is locked"

\* Code: src/orders/record-movements.ts refreshOrders "order by id for no key update"
LockOrder(r) ==
  /\ req[r].step = "decided" /\ Take(r, 0) /\ (Unlocked => req[r].derived # "")
  /\ Step(r, [req[r] EXCEPT !.step = IF Unlocked THEN "derived" ELSE "ordered"])
  /\ UNCHANGED <<row, history, order>>

\* Code: src/orders/record-movements.ts refreshOrders "array_agg(distinct s.stage)"
Derive(r) ==             \* what others have committed, and what is its own
  /\ req[r].derived = "" /\ req[r].step = IF Unlocked THEN "decided" ELSE "ordered"
  /\ Step(r, [req[r] EXCEPT !.step = IF Unlocked THEN @ ELSE "derived", !.derived = Derived(Seen(r))])
  /\ UNCHANGED <<row, history, order, owner>>

\* Code: src/orders/record-movements.ts recordMovements "return transaction(db"
Commit(r) ==
  LET q == req[r] IN
  /\ q.step = "derived"
  /\ row' = [p \in Packages |-> IF p \in q.added THEN q.new[p] ELSE row[p]]
  /\ history' = [p \in Packages |-> IF p \notin q.added THEN history[p]
       ELSE LET moved == IF r \in Cancels \cup Reopens THEN q.new[p] ELSE [status |-> q.item.status, since |-> q.item.at] IN
            Append(history[p], [status |-> moved.status, since |-> moved.since, takes |-> q.takes, back |-> q.back])]
  /\ order' = IF q.derived = "" THEN order ELSE q.derived
  /\ Step(r, [q EXCEPT !.step = "done", !.says = "recorded"]) /\ Release(r)

Next == \E r \in Requests :
  \/ Peek(r) \/ Decide(r) \/ Cancel(r) \/ Reopen(r) \/ LockOrder(r) \/ Derive(r) \/ Commit(r)
  \/ \E p \in Packages : LockPackage(r, p)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* "The order's status follows from the stages of its packages": nothing else sets it, and no commit misses another.
OrderFollows == order = Derived({row[p].status : p \in Packages})

\* "A final status ends the package", until it is taken back: the first one that is recorded stays, and nothing that
\* happens later is recorded.
TakenBack(p, i) == {j \in 1..Len(history[p]) : history[p][j].takes = i}
EndsOnce == \A p \in Packages : \A i \in 1..Len(history[p]) : history[p][i].status \in Final =>
  LET end == IF TakenBack(p, i) = {} THEN Len(history[p]) ELSE (CHOOSE j \in TakenBack(p, i) : TRUE) - 1 IN
  /\ TakenBack(p, i) # {} \/ (row[p].status = history[p][i].status /\ row[p].since = history[p][i].since)
  /\ \A j \in (i + 1)..end : history[p][j].status \notin Final /\ history[p][j].since < history[p][i].since

\* "A reopening brings back the status before": the one that the package would have without the final status.
BackToBefore == \A p \in Packages : \A i \in 1..Len(history[p]) : history[p][i].takes > 0 =>
  LET back == history[p][i].back IN
  /\ history[p][i].status = IF back = 0 THEN "created" ELSE history[p][back].status
  /\ \A j \in 1..(i - 1) : history[p][j].status \in Final \/ (back > 0 /\
       (history[p][back].since > history[p][j].since \/ (history[p][back].since = history[p][j].since /\ back >= j)))

\* "A movement from before the current status only joins the history": else the latest one is current.
LatestIsCurrent == \A p \in Packages : history[p] # <<>> /\ row[p].status \notin Final =>
  \A i \in 1..Len(history[p]) : row[p].since >= history[p][i].since

\* "An order with a completed package cannot become cancelled": a cancellation and a delivery are never both
\* true, unless one of them was taken back.
NoMixedEnd == (\E r \in Cancels : req[r].says = "recorded") => \A p \in Packages :
  row[p].status # "delivered" \/ \E i \in 1..Len(history[p]) : history[p][i].takes > 0

\* Nobody waits for ever: of those that wait, one can go on.
NoDeadlock == (\E r \in Requests : req[r].step # "done") => ENABLED Next
=============================================================================
