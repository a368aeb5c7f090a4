import { clientMutants } from './client-mutants.js';
import { databaseMutants } from './database-mutants.js';
import { type Mutant, one } from './mutant.js';
import { orderMutants } from './order-mutants.js';

const SCHEDULE = 'src/queue/schedule.ts';
const CLAIMABLE = '::timestamptz and due_at <= now()';
const LEASED_TOO = `::timestamptz and (due_at <= now() or state = 'leased')`;

export const mutants: readonly Mutant[] = [
  ...orderMutants,
  one(
    'killed-worker',
    'lanes are claimed although another worker has them',
    'src/queue/claim.ts',
    CLAIMABLE,
    LEASED_TOO,
  ),
  one(
    'unrecorded-answer',
    'a frozen body is written anew',
    'src/queue/claim.ts',
    '{ webhookId, body, kind,',
    "{ webhookId, body: Buffer.concat([body, Buffer.from(' ')]), kind,",
  ),
  one('limits-across-processes', 'each counts alone', 'src/app/interfaces.ts', 'counters?.storeFor', 'undefined'),
  one('takeover', 'leases are four times as long', 'src/webhook/settings.ts', 'leaseMs: 30_000', 'leaseMs: 120_000'),
  one(
    'rolling-restart',
    'the listener is closed as soon as a stop is requested',
    'src/app/index.ts',
    'await sleep(1000 * config.shutdownDelaySeconds)',
    'await sleep(0 * config.shutdownDelaySeconds)',
  ),
  one(
    'suspended-worker',
    'results are written without looking whose lease it is',
    'src/queue/record.ts',
    'where lane.id = result.lane_id and lane.claim_id = result.claim_id',
    'where lane.id = result.lane_id',
  ),
  one(
    'schedule',
    'Retry-After is not heard',
    SCHEDULE,
    'return Math.min(pauseMs ?? 0, maxRetryAfterMs);',
    'return Math.min((pauseMs ?? 0) * 0, maxRetryAfterMs);',
  ),
  one('schedule', 'pauses are not spread', SCHEDULE, 'jitter: 0.2', 'jitter: 0'),
  one('other-answers', '202 acknowledges', SCHEDULE, 'outcome.status === 201', 'outcome.status === 202'),
  ...clientMutants,
  {
    name: 'dead receivers hold all slots',
    fault: 'isolation',
    edits: [
      { file: 'src/webhook/settings.ts', from: 'concurrency: 2 * eighth', to: 'concurrency: 6' },
      { file: 'src/webhook/settings.ts', from: 'lateConcurrency: slots - 5 * eighth', to: 'lateConcurrency: 0' },
    ],
  },
  one('backlog', 'lanes are claimed although they are under way', 'src/queue/claim.ts', CLAIMABLE, LEASED_TOO),
  one(
    'random-failures',
    'a body tells of the newest movement',
    'src/queue/freeze.ts',
    ' && !packages.has(each.loggiKey)',
    '',
  ),
  one(
    'frozen-redis',
    'Redis has all the time that it wants',
    'src/http/limits/redis-link.ts',
    'if (ticksLeft === 0) reject(new Error',
    'if (ticksLeft < -1000) reject(new Error',
  ),
  one(
    'inner-addresses',
    'addresses are checked at registration only',
    'src/webhook/lookup.ts',
    'if (refusal !== undefined) throw',
    'if (refusal !== undefined && rules.ports.length === 0) throw',
  ),
  one(
    'costly-documents',
    'a document may hold any number of fields',
    'src/graphql/limits.ts',
    'fields: 300',
    'fields: 30_000',
  ),
  one(
    'costly-patterns',
    'a pattern repeats what repeats',
    'contracts/openapi.yaml',
    "description: BRL, with two places.\n      type: string\n      pattern: '^(0|[1-9][0-9]{0,9})\\.[0-9]{2}$'",
    "description: BRL, with two places.\n      type: string\n      pattern: '^([0-9]+)+\\.[0-9]{2}$'",
  ),
  one(
    'revoked-tokens',
    'what ended is known for the present lifetime only',
    'src/accounts/epochs.ts',
    'const HORIZON_SECONDS = MAX_TOKEN_TTL_SECONDS + OVERLAP_SECONDS;',
    'const HORIZON_SECONDS = MAX_TOKEN_TTL_SECONDS / 24 + OVERLAP_SECONDS;',
  ),
  one(
    'revoked-tokens',
    'tokens live as long as they say',
    'src/accounts/tokens.ts',
    'signed.issuedAt + ttlSeconds',
    'signed.expiresAt + ttlSeconds',
  ),
  {
    name: 'slow receivers have no slots of their own',
    fault: 'slow-receivers',
    edits: [
      { file: 'src/endpoints/own-lanes.ts', from: "number, 'idle', account_id", to: "number, 'idle', null::uuid" },
      { file: 'src/webhook/recorder.ts', from: 'slow ? claim.accountId : null', to: 'slow ? null : null' },
      { file: 'src/webhook/settings.ts', from: 'lateConcurrency: slots - 5 * eighth', to: 'lateConcurrency: 0' },
    ],
  },
  ...(['silent-name-servers', 'no-network'] as const).map((fault) =>
    one(
      fault,
      'whatever fails is counted',
      'src/webhook/request.ts',
      'ownFailure: await ownFailureOf(result.unanswered, clockOffMs)',
      'ownFailure: (await ownFailureOf(result.unanswered, clockOffMs)) && undefined',
    ),
  ),
  one(
    'silent-name-servers',
    'a name that gets no answer is our own failure, whatever others get',
    'src/webhook/own-failures.ts',
    'return isOfThisName ? undefined',
    'return isOfThisName && host.length < 0 ? undefined',
  ),
  one(
    'keys-do-not-open',
    'secrets that do not open are charged to the receiver',
    'src/webhook/request.ts',
    'reused: false, ownFailure: secrets',
    'reused: false',
  ),
  one(
    'canaries',
    'answers are kept as they are',
    'src/webhook/request.ts',
    '[basic, password]',
    '[basic, password].slice(2)',
  ),
  ...databaseMutants,
  one(
    'one-account',
    'all requests of an account run at once',
    'src/http/limits/in-flight.ts',
    'atOnceOfOwner: concurrency',
    'atOnceOfOwner: 1_000 * concurrency',
  ),
  one(
    'one-account',
    'names of bodies are not counted',
    'src/validation/read-json.ts',
    'return this.#otherNames > MAX_OTHER_NAMES;',
    'return this.#otherNames > 1_000 * MAX_OTHER_NAMES;',
  ),
  one(
    'one-account',
    'requests without credentials take all connections',
    'src/http/limits/in-flight.ts',
    'const SHARE = 1 / 3;',
    'const SHARE = 100;',
  ),
  one(
    'unfinished-bodies',
    'bodies are counted and not refused',
    'src/http/body/body-budget.ts',
    'if (full) throw full.refusal();',
    'if (full && limit < 0) throw full.refusal();',
  ),
  one(
    'slow-readers',
    'all requests of a connection are answered at once',
    'src/http/server/unread-answers.ts',
    'if (last === res || last.closed) return answer();',
    'if (last === res || last.closed || queue.waiting === 0) return answer();',
  ),
  one(
    'slow-readers',
    'an answer may stand still for as long as its client likes',
    'src/http/server/unread-answers.ts',
    'wait.stillMs >= this.limits.unreadTimeout',
    'wait.stillMs < 0',
  ),
  {
    name: 'lists beyond their bound reach the validator, which lists every fault',
    fault: 'costly-requests',
    edits: [
      {
        file: 'src/validation/read-json.ts',
        from: 'if (values > maxValues)',
        to: 'if (values > maxValues + 1e9)',
      },
      {
        file: 'src/validation/body-validator.ts',
        from: 'const { value, fieldErrors } = trim(read(body));',
        to: 'const { value, fieldErrors } = { ...trim(null), value: body };',
      },
      {
        file: 'src/validation/field-errors.ts',
        from: 'const MAX_ERRORS = 101;',
        to: 'const MAX_ERRORS = 1_000_000_000;',
      },
    ],
  },
];
