----------------------------- MODULE Movements -----------------------------
(* Movements of the packages of one order that come at once, late and in any order, and its cancellation beside them.    *)
(*                                                                                                                       *)
(* What it cannot say: proofs, PINs and ids of movements; a report from before the order, or from the future; several    *)
(* orders, whose rows are locked in the order of their ids after those of packages.                                      *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
  Packages, Times,    \* 1..n; times at which something happens, the earliest first
  Requests, Cancels,  \* 1..n: each reports one movement; those that cancel the order instead
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
       [step |-> "new", item |-> items[r], new |-> row, added |-> {}, derived |-> "", says |-> ""]]

Step(r, changes) == req' = [req EXCEPT ![r] = changes]
Holds(r) == {p \in Packages : owner[p] = r}
Needs(r) == IF r \in Cancels THEN Packages ELSE {req[r].item.pkg}
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
  /\ r \notin Cancels /\ q.step = "locked"
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
       ELSE Append(history[p], IF r \in Cancels THEN q.new[p] ELSE [status |-> q.item.status, since |-> q.item.at])]
  /\ order' = IF q.derived = "" THEN order ELSE q.derived
  /\ Step(r, [q EXCEPT !.step = "done", !.says = "recorded"]) /\ Release(r)

Next == \E r \in Requests :
  \/ Peek(r) \/ Decide(r) \/ Cancel(r) \/ LockOrder(r) \/ Derive(r) \/ Commit(r)
  \/ \E p \in Packages : LockPackage(r, p)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* "The order's status follows from the stages of its packages": nothing else sets it, and no commit misses another.
OrderFollows == order = Derived({row[p].status : p \in Packages})

\* "A final status ends the package": the first one that is recorded stays, and nothing that happens later is recorded.
EndsOnce == \A p \in Packages : \A i \in 1..Len(history[p]) : history[p][i].status \in Final =>
  /\ row[p] = history[p][i]
  /\ \A j \in (i + 1)..Len(history[p]) : history[p][j].status \notin Final /\ history[p][j].since < history[p][i].since

\* "A movement from before the current status only joins the history": else the latest one is current.
LatestIsCurrent == \A p \in Packages : history[p] # <<>> /\ row[p].status \notin Final =>
  \A i \in 1..Len(history[p]) : row[p].since >= history[p][i].since

\* "An order with a completed package cannot become cancelled": a cancellation and a delivery are never both true.
NoMixedEnd == (\E r \in Cancels : req[r].says = "recorded") => \A p \in Packages : row[p].status # "delivered"

\* Nobody waits for ever: of those that wait, one can go on.
NoDeadlock == (\E r \in Requests : req[r].step # "done") => ENABLED Next
=============================================================================
