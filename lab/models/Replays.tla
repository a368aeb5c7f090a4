------------------------------ MODULE Replays ------------------------------
(* The lane of an endpoint's replays and tests, beside the removal of old deliveries: what the operator sends again is   *)
(* sent, however old it is.                                                                                              *)
(*                                                                                                                       *)
(* What it cannot say: the order in the receiver's eyes, as replays and tests are marked; attempts and their numbers;    *)
(* partitions that are dropped whole, which looks again under the table's lock.                                          *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
  Deliveries,         \* 1..n, all of them so old that they may go
  Tests, MaxClaims,
  Broken              \* the guard that is left out; "" is the code as it is

VARIABLES
  stored,             \* deliveries that there are
  replaying,          \* those of the operator's open transaction, which holds their locks; committed by Queue
  requests,           \* webhook_requests, the oldest first
  accepted, sent,     \* what the operator was told is queued; what was acknowledged or has failed for good
  seen, candidates,   \* what the removal has seen not waiting, and what it holds locked of it
  lane, job, nextClaim, tests

vars == <<stored, replaying, requests, accepted, sent, seen, candidates, lane, job, nextClaim, tests>>
work == <<lane, job, nextClaim>>
Claims == 1..MaxClaims
AllIds == Deliveries \cup {d + 100 : d \in 1..Tests}
Waits(d) == \E i \in 1..Len(requests) : requests[i] = d

Init ==
  /\ stored = Deliveries /\ replaying = {} /\ requests = <<>> /\ accepted = {} /\ sent = {}
  /\ seen = {} /\ candidates = {}
  /\ lane = [state |-> "idle", claim |-> 0, carries |-> 0] /\ job = [c \in Claims |-> "none"] /\ nextClaim = 1 /\ tests = 0

\* Code: src/queue/replay.ts queueAgain "for key share of delivery"
Lock(d) ==
  /\ replaying = {} /\ d \in stored /\ ~Waits(d) /\ d \notin candidates /\ d \notin accepted
  /\ replaying' = {d}
  /\ UNCHANGED <<stored, requests, accepted, sent, seen, candidates, tests, work>>

\* Code: src/queue/replay.ts replayDeliveries "queueAgain(trx"
Queue(d) ==              \* an idle lane is woken unless it is locked, which is when a worker is leaving it
  /\ d \in replaying /\ replaying' = {}
  /\ requests' = Append(requests, d) /\ accepted' = accepted \cup {d}
  /\ lane' = IF lane.state = "idle" THEN [lane EXCEPT !.state = "ready"] ELSE lane
  /\ UNCHANGED <<stored, sent, seen, candidates, job, nextClaim, tests>>

\* Code: src/queue/replay.ts testEndpoint "queueInserted(trx"
Test ==
  LET d == 101 + tests IN
  /\ tests < Tests /\ replaying = {}                        \* the lock of the endpoint's row
  /\ tests' = tests + 1 /\ stored' = stored \cup {d}
  /\ requests' = Append(requests, d) /\ accepted' = accepted \cup {d}
  /\ lane' = IF lane.state = "idle" THEN [lane EXCEPT !.state = "ready"] ELSE lane
  /\ UNCHANGED <<replaying, sent, seen, candidates, job, nextClaim>>

-----------------------------------------------------------------------------
Carried(d) == lane.carries = d
\* Code: src/queue/upkeep.ts removeDeliveries "select webhook_id from webhook_deliveries delivery"
SeeOld(d) ==             \* the snapshot of the statement
  /\ seen = {} /\ candidates = {} /\ d \in stored /\ ~Waits(d) /\ ~Carried(d) /\ seen' = {d}
  /\ UNCHANGED <<stored, replaying, requests, accepted, sent, candidates, tests, work>>

\* Code: src/queue/upkeep.ts removeDeliveries "for update skip locked"
LockOld(d) ==
  /\ d \in seen /\ seen' = {}
  /\ candidates' = IF d \in replaying /\ Broken # "what is being sent again is not locked" THEN {} ELSE {d}
  /\ UNCHANGED <<stored, replaying, requests, accepted, sent, tests, work>>

\* Code: src/queue/upkeep.ts removeDeliveries "delete from webhook_deliveries delivery"
RemoveOld(d) ==          \* a second statement, which sees what was queued meanwhile
  /\ d \in candidates /\ candidates' = {} /\ UNCHANGED seen
  /\ stored' = IF (Waits(d) \/ Carried(d)) /\ Broken # "what is removed is looked at once" THEN stored ELSE stored \ {d}
  /\ UNCHANGED <<replaying, requests, accepted, sent, tests, work>>

\* World: the removal is cut off.
LeaveOld ==
  /\ candidates # {} /\ candidates' = {} /\ UNCHANGED seen
  /\ UNCHANGED <<stored, replaying, requests, accepted, sent, tests, work>>

-----------------------------------------------------------------------------
\* Code: src/queue/claim.ts claims "REQUEST_LANE"
Claim ==                 \* a lease may have run out at any time
  /\ nextClaim <= MaxClaims /\ lane.state \in {"ready", "leased"}
  /\ lane' = [lane EXCEPT !.state = "leased", !.claim = nextClaim]
  /\ job' = [job EXCEPT ![nextClaim] = "claimed"] /\ nextClaim' = nextClaim + 1
  /\ UNCHANGED <<stored, replaying, requests, accepted, sent, seen, candidates, tests>>

\* Code: src/queue/freeze.ts carryOperatorRequest "claim_id = ${claimId} and webhook_id is null"
Carry(c) ==              \* together with its reading of the oldest request: only the lane's holder removes requests
  LET d == IF requests = <<>> THEN 0 ELSE IF Head(requests) \in stored THEN Head(requests) ELSE 0 IN
  /\ job[c] = "claimed"
  /\ IF lane.claim # c THEN job' = [job EXCEPT ![c] = "over"] /\ UNCHANGED lane
     ELSE IF lane.carries # 0 THEN job' = [job EXCEPT ![c] = "sent"] /\ UNCHANGED lane
     ELSE /\ lane' = IF d = 0 THEN [state |-> "idle", claim |-> 0, carries |-> 0] ELSE [lane EXCEPT !.carries = d]
          /\ job' = [job EXCEPT ![c] = IF d = 0 THEN "over" ELSE "sent"]
  /\ UNCHANGED <<stored, replaying, requests, accepted, sent, seen, candidates, nextClaim, tests>>

\* Code: src/queue/record.ts recordResults "delete from webhook_requests"
Fulfil(c) ==             \* the delivery was acknowledged, or this was its last attempt
  LET d == lane.carries
      rest == SelectSeq(requests, LAMBDA r : r # d) IN
  /\ job[c] = "sent" /\ job' = [job EXCEPT ![c] = "over"]
  /\ IF lane.claim # c THEN UNCHANGED <<lane, requests, sent>>
     ELSE /\ requests' = rest /\ sent' = sent \cup {d}
          /\ lane' = [state |-> IF rest = <<>> THEN "idle" ELSE "ready", claim |-> 0, carries |-> 0]
  /\ UNCHANGED <<stored, replaying, accepted, seen, candidates, nextClaim, tests>>

\* World: a worker dies.
Kill(c) ==
  /\ job[c] \in {"claimed", "sent"} /\ job' = [job EXCEPT ![c] = "over"]
  /\ UNCHANGED <<stored, replaying, requests, accepted, sent, seen, candidates, lane, nextClaim, tests>>

\* Code: src/queue/lanes.ts wakeIdleLanes "webhook_requests"
WakeRequests ==
  /\ lane.state = "idle" /\ requests # <<>>
  /\ lane' = [lane EXCEPT !.state = "ready"]
  /\ UNCHANGED <<stored, replaying, requests, accepted, sent, seen, candidates, job, nextClaim, tests>>

Next ==
  \/ \E d \in Deliveries : Lock(d) \/ Queue(d) \/ SeeOld(d) \/ LockOld(d) \/ RemoveOld(d)
  \/ Test \/ LeaveOld \/ Claim \/ WakeRequests
  \/ \E c \in Claims : Carry(c) \/ Fulfil(c) \/ Kill(c)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* "At least once", also of what the operator sends again or tries: it is sent, or it waits, with its body.
AcceptedIsKept == \A d \in accepted : d \in sent \/ (Waits(d) /\ d \in stored)

\* A request that cannot be carried would hold up all that come after it.
LaneGoesOn == requests # <<>> => Head(requests) \in stored
=============================================================================
