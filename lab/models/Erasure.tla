------------------------------ MODULE Erasure ------------------------------
(* The erasure of personal data from webhook bodies, while workers freeze others and a second erasure goes on beside it. *)
(*                                                                                                                       *)
(* What it cannot say: bytes that a receiver has, or a worker in its memory; an answer to a request that is under way    *)
(* while attempts are erased, which the next erasure comes to.                                                           *)
EXTENDS Integers, FiniteSets

CONSTANTS
  Packages,           \* each has an erasure of its own, in the number of its order
  MaxClaims,
  Broken              \* the guard that is left out; "" is the code as it is

VARIABLES
  erased,             \* packages whose rows hold no text any more
  body,               \* delivery -> packages whose texts its body holds; delivery 0 was there before
  lane, job, read, nextClaim,
  step, page          \* what an erasure does, and the body that it has read

vars == <<erased, body, lane, job, read, nextClaim, step, page>>
worker == <<lane, job, read, nextClaim>>
Claims == 1..MaxClaims
Bodies == 0..MaxClaims
Start == [at |-> 0, was |-> {}, sees |-> {}]

Init ==
  /\ erased = {} /\ body = [d \in Bodies |-> IF d = 0 THEN Packages ELSE {}]
  /\ lane = [claim |-> 0, frozen |-> FALSE] /\ job = [c \in Claims |-> "none"] /\ read = [c \in Claims |-> {}] /\ nextClaim = 1
  /\ step = [p \in Packages |-> "orders"] /\ page = [p \in Packages |-> Start]

\* Code: src/queue/claim.ts leasing "'leased'"
Take ==                  \* a lease may have run out at any time
  /\ nextClaim <= MaxClaims /\ ~lane.frozen
  /\ lane' = [lane EXCEPT !.claim = nextClaim]
  /\ job' = [job EXCEPT ![nextClaim] = "claimed"] /\ nextClaim' = nextClaim + 1
  /\ UNCHANGED <<erased, body, read, step, page>>

\* Code: src/packages/tracking.ts trackingRecords "readEvents(db, keys)"
Read(c) ==
  /\ job[c] = "claimed" /\ job' = [job EXCEPT ![c] = "read"]
  /\ read' = [read EXCEPT ![c] = Packages \ erased]
  /\ UNCHANGED <<erased, body, lane, nextClaim, step, page>>

\* Code: src/queue/freeze.ts freezeDeliveries "lane.claim_id = delivery.claim_id"
Write(c) ==
  /\ job[c] = "read" /\ job' = [job EXCEPT ![c] = "over"]
  /\ IF lane.claim = c /\ ~lane.frozen
     THEN body' = [body EXCEPT ![c] = read[c]] /\ lane' = [lane EXCEPT !.frozen = TRUE]
     ELSE UNCHANGED <<body, lane>>
  /\ UNCHANGED <<erased, read, nextClaim, step, page>>

-----------------------------------------------------------------------------
Goes(p, from, to) == step[p] = from /\ step' = [step EXCEPT ![p] = to]
After(p) == IF Broken = "no lane is taken back" THEN "bodies" ELSE "lanes"

\* Code: src/orders/erase-recipients.ts eraseOrders "recipients_erased_at = now()"
EraseOrder(p) ==
  /\ Goes(p, "orders", After(p)) /\ erased' = erased \cup {p}
  /\ UNCHANGED <<body, page, worker>>

\* Code: src/queue/erasure.ts takeBackUnfrozen "claim_id = null"
TakeBack(p) ==
  /\ Goes(p, "lanes", "bodies")
  /\ lane' = IF lane.frozen THEN lane ELSE [lane EXCEPT !.claim = 0]
  /\ UNCHANGED <<erased, body, job, read, nextClaim, page>>

\* Code: src/queue/erasure.ts trackingDeliveriesAfter "order by webhook_id"
ReadBody(p) ==           \* one by one; one that holds nothing, or is not there, is passed over
  /\ step[p] = "bodies" /\ page[p].at \in Bodies /\ page[p].was = {}
  /\ page' = IF body[page[p].at] = {} THEN [page EXCEPT ![p].at = @ + 1] ELSE [page EXCEPT ![p].was = body[page[p].at]]
  /\ UNCHANGED <<erased, body, step, worker>>

\* Code: src/packages/erase-packages.ts erasedAmong "o.recipients_erased_at is not null"
Look(p) ==
  /\ step[p] = "bodies" /\ page[p].was # {} /\ page[p].sees = {}
  /\ page' = [page EXCEPT ![p].sees = erased]
  /\ UNCHANGED <<erased, body, step, worker>>

\* Code: src/queue/erasure.ts rewriteBodies "where('body', '=', body)"
Rewrite(p) ==            \* once more where the body is another one
  LET d == page[p].at IN
  /\ step[p] = "bodies" /\ page[p].sees # {}
  /\ IF body[d] = page[p].was \/ Broken = "bodies are replaced whatever they are"
     THEN body' = [body EXCEPT ![d] = page[p].was \ page[p].sees] /\ page' = [page EXCEPT ![p] = [Start EXCEPT !.at = d + 1]]
     ELSE page' = [page EXCEPT ![p] = [Start EXCEPT !.at = d]] /\ UNCHANGED body
  /\ UNCHANGED <<erased, step, worker>>

\* Code: src/operator/erasing.ts perform "finishErasure"
Finish(p) ==
  /\ page[p].at > MaxClaims /\ Goes(p, "bodies", "done")
  /\ UNCHANGED <<erased, body, page, worker>>

Next ==
  \/ Take \/ \E c \in Claims : Read(c) \/ Write(c)
  \/ \E p \in Packages : EraseOrder(p) \/ TakeBack(p) \/ ReadBody(p) \/ Look(p) \/ Rewrite(p) \/ Finish(p)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* "Same webhook-id, same bytes, unless personal data in it are erased": then for good, whatever is frozen meanwhile.
ErasedForGood == \A p \in Packages : step[p] = "done" => \A d \in Bodies : p \notin body[d]
=============================================================================
