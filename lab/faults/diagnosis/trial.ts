import { expectThat, type Finding } from '../../../test/support/processes/judgement.js';
import { serviceNames, settleLoad } from '../topology/topology.js';
import { type Cause, type Diagnosis, diagnose, inWords, type Problem, type Signs } from './diagnosis.js';
import { LASTING_ALERTS } from './prometheus.js';
import { eventually, type Scene } from './scene.js';
import type { State } from './state.js';

const NAMED_WITHIN_S = 120;
const PATIENCE_MS = 240_000;
/** Long enough for rates, which cover five minutes. */
const WELL_MS = 480_000;

/** Leaves out alerts about past events, which fire for as long as their window. */
const present = ({ alerts, findings }: Signs): Signs => ({
  alerts: alerts.filter(({ name }) => !LASTING_ALERTS.has(name)),
  findings,
});

/** Prints progress. */
const tell = (words: string): void => console.log(`  ${new Date().toISOString().slice(11, 19)} ${words}`);

const isWell = ({ alerts, findings }: Signs): boolean => alerts.length === 0 && findings.length === 0;

/** Resolves once there is no sign, or else to the signs that stay. */
async function well(scene: Scene): Promise<Signs | undefined> {
  let latest: Signs | undefined;
  const look = async () => {
    latest = present({ alerts: await scene.prometheus.alerts(), findings: [] });
    if (isWell(latest)) latest = { alerts: [], findings: await scene.findings() };
    tell(`signs: ${inWords(latest)}`);
    return isWell(latest) || undefined;
  };
  return (await eventually(look, WELL_MS)) ? undefined : latest;
}

/** Runs `malote doctor` on each machine, again and again, until `isOver`. */
function lookAgain(scene: Scene, isOver: () => boolean) {
  let findings: readonly Problem[] = [];
  const look = async (): Promise<void> => {
    for (const machine of serviceNames) {
      if (isOver()) return;
      const now = await scene.findings([machine]);
      findings = [...findings.filter((each) => each.machine !== machine), ...now];
    }
    return look();
  };
  return { latest: () => findings, ended: look() };
}

/** Brings about a trouble, names its cause from the signs alone, follows the advice, and checks the result. */
export async function tryState(cause: Cause, state: State, scene: Scene): Promise<Finding> {
  await state.prepare?.(scene);
  const before = await well(scene);
  if (before) return { figures: 'not tried', breaches: [`the healthy cluster is found ill: ${inWords(before)}`] };
  tell(`healthy; now ${state.what}`);
  await state.inject(scene);
  const began = performance.now();
  const secondsSince = (since: number) => (performance.now() - since) / 1_000;
  const wrong = new Set<string>();
  let latest: Signs = { alerts: [], findings: [] };
  let isNamed = false;
  const looking = lookAgain(scene, () => isNamed);
  const name = async (): Promise<Diagnosis | undefined> => {
    latest = { alerts: await scene.prometheus.alerts(), findings: looking.latest() };
    const diagnosis = diagnose(latest);
    const isRight = diagnosis?.cause === cause && (state.names?.test(diagnosis.sign) ?? true);
    if (diagnosis && !isRight) wrong.add(`${diagnosis.cause} (${diagnosis.sign})`);
    return isRight ? diagnosis : undefined;
  };
  const diagnosis = await eventually(name, PATIENCE_MS);
  const namedAfter = secondsSince(began);
  tell(`signs: ${inWords(latest)}`);
  isNamed = true;
  await looking.ended;
  const unsaid = state.remedy.filter(({ says }) => !diagnosis?.advice.includes(says)).map(({ says }) => says);
  for (const { says, run } of state.remedy) {
    tell(`carrying out: ${says}`);
    await run(scene);
  }
  const mended = performance.now();
  const after = await well(scene);
  const endedAfter = secondsSince(mended);
  tell('well again; comparing what was acknowledged');
  const kept = await settleLoad(scene.topology, scene.load);
  const named = diagnosis
    ? `named after ${namedAfter.toFixed(0)} s by ${diagnosis.sign}`
    : `not named: ${inWords(latest)}`;
  const misled = wrong.size > 0 ? `; before that: ${[...wrong].join(', ')}` : '';
  return {
    figures: `${named}${misled}; well ${endedAfter.toFixed(0)} s after it was mended; ${kept.figures}`,
    breaches: [
      ...expectThat(diagnosis !== undefined && namedAfter <= NAMED_WITHIN_S, `not named within ${NAMED_WITHIN_S} s`),
      ...unsaid.map((words) => `the advice does not say: ${words}`),
      ...(after ? [`it did not end: ${inWords(after)}`] : []),
      ...kept.breaches,
    ],
  };
}
