import * as accounts from './0001-accounts.js';
import * as orders from './0002-orders.js';
import * as deliveries from './0003-deliveries.js';
import * as orderTallies from './0004-order-tallies.js';
import * as signInNetworks from './0005-sign-in-networks.js';
import * as erasure from './0006-erasure.js';
import * as operatorKeys from './0007-operator-keys.js';
import * as reportedTimes from './0008-reported-times.js';
import * as endpointPace from './0009-endpoint-pace.js';
import * as orderKeys from './0010-order-keys.js';
import * as deliveryPartitions from './0011-delivery-partitions.js';
import * as traceContext from './0012-trace-context.js';
import * as laneChanges from './0013-lane-changes.js';
import * as laneKeys from './0014-lane-keys.js';
import * as trackingLinks from './0015-tracking-links.js';
import * as proofs from './0016-proofs.js';
import * as packageTallies from './0017-package-tallies.js';
import * as packageChanges from './0018-package-changes.js';
import * as operatorSessions from './0019-operator-sessions.js';
import * as endpointKeyPairs from './0020-endpoint-key-pairs.js';
import * as sentPictures from './0021-sent-pictures.js';
import * as secondFactors from './0022-second-factors.js';
import * as oldestRelease from './0023-oldest-release.js';
import * as zones from './0024-zones.js';
import * as documents from './0025-documents.js';
import * as apiKeys from './0026-api-keys.js';
import * as changedSince from './0027-changed-since.js';
import * as accuracy from './0028-accuracy.js';
import * as recipientPages from './0031-recipient-pages.js';
import * as packedAnswers from './0032-packed-answers.js';
import * as lighterDeliveries from './0033-lighter-deliveries.js';
import type { Migration } from './migration.js';

/** Every migration, by name, in the order in which they run. Forward only: docs/migrations.md. */
export const migrations: Record<string, Migration> = {
  '0001-accounts': accounts,
  '0002-orders': orders,
  '0003-deliveries': deliveries,
  '0004-order-tallies': orderTallies,
  '0005-sign-in-networks': signInNetworks,
  '0006-erasure': erasure,
  '0007-operator-keys': operatorKeys,
  '0008-reported-times': reportedTimes,
  '0009-endpoint-pace': endpointPace,
  '0010-order-keys': orderKeys,
  '0011-delivery-partitions': deliveryPartitions,
  '0012-trace-context': traceContext,
  '0013-lane-changes': laneChanges,
  '0014-lane-keys': laneKeys,
  '0015-tracking-links': trackingLinks,
  '0016-proofs': proofs,
  '0017-package-tallies': packageTallies,
  '0018-package-changes': packageChanges,
  '0019-operator-sessions': operatorSessions,
  '0020-endpoint-key-pairs': endpointKeyPairs,
  '0021-sent-pictures': sentPictures,
  '0022-second-factors': secondFactors,
  '0023-oldest-release': oldestRelease,
  '0024-zones': zones,
  '0025-documents': documents,
  '0026-api-keys': apiKeys,
  '0027-changed-since': changedSince,
  '0028-accuracy': accuracy,
  '0031-recipient-pages': recipientPages,
  '0032-packed-answers': packedAnswers,
  '0033-lighter-deliveries': lighterDeliveries,
};
