import type { VNode } from 'preact';
import { statusOf } from '../../../base/errors.js';
import { RefusalError } from '../../operations.js';
import type { Outcome } from '../../session/place.js';
import { type Visit, VisitContext } from '../../visit.js';
import {
  countOf,
  draftIn,
  formOfTexts,
  keepTyped,
  MAX_PACKAGES,
  ownDraft,
  quotedTexts,
  type TextOf,
  typedTexts,
} from './draft.js';
import { showForm } from './form.js';
import { rememberedTexts, withPresets } from './preset-choice.js';
import { showReview } from './review.js';

// Shows the steps of a new order. Each step has its own address, so Back works.

const REVIEW = 'review';

/** Keeps a form that was sent after the session had ended, so that it is shown again after sign-in. */
export const keepForm = keepTyped();
export const keepReview = keepTyped(REVIEW);

/** Shows the step in the address with its texts. A new order begins with remembered texts. */
export async function showNewOrder(visit: Visit): Promise<VNode> {
  const draft = await draftIn(visit);
  const texts = draft ? {} : { ...(await rememberedTexts(visit)), ...quotedTexts(visit) };
  return showStep({ ...visit, form: draft ?? formOfTexts(texts) }, visit.url.searchParams.get('step') ?? '');
}

/** Shows a step with the texts of the form. If the order would be refused, shows the form instead. */
async function showStep(visit: Visit, step = ''): Promise<VNode> {
  const within = (shown: Visit, page: VNode) => <VisitContext.Provider value={shown}>{page}</VisitContext.Provider>;
  if (step !== REVIEW) return within(visit, await showForm(visit));
  try {
    return within(visit, await showReview(visit));
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    visit.res.status(statusOf(error.code));
    const refused = { ...visit, refusal: error };
    return within(refused, await showForm(refused));
  }
}

/** Redirects to the next step. Shows it at once if the texts are too long for an address. */
export async function goOn(visit: Visit): Promise<Outcome> {
  const { textOf, count = countOf(visit), step } = await nextStep(visit);
  const texts = typedTexts(textOf, count);
  return (await ownDraft(visit, texts, step)) ?? showStep({ ...visit, form: formOfTexts(texts) }, step);
}

async function nextStep(visit: Visit): Promise<{ textOf: TextOf; count?: number; step?: string }> {
  const { form } = visit;
  const count = countOf(visit);
  if (form.has('remove')) return withoutPackage(form.text, Number(form.text('remove')), count);
  switch (form.text('next')) {
    case 'use':
      return { textOf: await withPresets(visit) };
    case 'add':
      return { textOf: form.text, count: Math.min(MAX_PACKAGES, count + 1) };
    case 'price':
    case 'correct':
      return { textOf: form.text };
    default:
      return { textOf: form.text, step: REVIEW };
  }
}

/** Removes a package from the form. The packages after it move up. */
function withoutPackage(textOf: TextOf, index: number, count: number) {
  const isBefore = (at: string) => Number(at) < index;
  return {
    textOf: (name: string) =>
      textOf(name.replace(/(?<=^packages\.|^saved_box\.)\d+/, (at) => (isBefore(at) ? at : String(Number(at) + 1)))),
    count: Math.max(1, count - 1),
  };
}

/** After a refusal: shows the new price if the price has changed, else the form. */
export const showRefused = (visit: Visit): Promise<VNode> =>
  visit.refusal?.reason === 'price_changed' ? showReview(visit) : showForm(visit);
