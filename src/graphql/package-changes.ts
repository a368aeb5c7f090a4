import type { GraphQLSchema } from 'graphql';
import type * as contract from '../../generated/graphql.js';
import type { Actor } from '../base/actor.js';
import { type FieldError, invalid, notFound, ServiceError } from '../base/errors.js';
import { type NoKey, omitUndefined } from '../base/every-key.js';
import { type AnswerInput, answerPackage } from '../orders/changes/answer-package.js';
import { cancelPackage } from '../orders/changes/cancel-package.js';
import { type AddressChangeInput, changeAddress } from '../orders/changes/change-address.js';
import { requestForPackage } from '../orders/changes/request-package.js';
import { type ReturnInput, returnPackage } from '../orders/returns.js';
import { getPackage } from '../packages/queries.js';
import { write } from './audit.js';
import { inputCheck } from './constraints.js';
import { actorIn, type Context, extrasFor, type GraphqlDeps } from './context.js';
import { codeOfRecord } from './errors.js';
import { toAddressInput, toCentavos, toReadyTime } from './order-input.js';
import { toFieldError, toOrder, toPackage, toPricing } from './order-types.js';
import { toRequest, toShownRequest } from './requests.js';

/** The input of GraphQL has the recipient's fields at its top level. */
const inFlatNames = ({ field, ...error }: contract.FieldError): contract.FieldError => ({
  ...error,
  field: field === 'recipient' || field === 'recipient.name' ? 'recipientName' : field,
});

/** The mutations by which shippers change their packages. */
export function packageMutations(deps: GraphqlDeps, schema: GraphQLSchema) {
  const [checkAnswer, checkReturn] = [inputCheck(schema, 'AnswerInput'), inputCheck(schema, 'ReturnInput')];
  const checkRequest = inputCheck(schema, 'PackageRequestInput');

  async function answer(context: Context, input: contract.AnswerInput): Promise<contract.AnswerPayload> {
    demandNone(checkAnswer(input, ''));
    const actor = actorIn(context);
    const work = await answerPackage(deps, actor, input.loggiKey, toAnswer(input));
    const { applied, loggi_key: loggiKey } = await write(deps.db, context, work);
    const parcel = await getPackage(deps.db, actor, loggiKey);
    if (!parcel) throw notFound('package');
    return { success: true, package: toPackage(parcel, extrasFor(deps, actor)), applied, errors: [] };
  }

  async function ask(context: Context, input: contract.PackageRequestInput): Promise<contract.PackageRequestPayload> {
    demandNone(checkRequest(input, ''));
    const work = await requestForPackage(deps, actorIn(context), input.loggiKey, toRequest(input));
    return { success: true, request: toShownRequest(await write(deps.db, context, work)), errors: [] };
  }

  async function giveBack(input: contract.ReturnInput, context: Context): Promise<contract.ReturnPayload> {
    demandNone(checkReturn(input, ''));
    const actor = actorIn(context);
    const work = await returnPackage(deps, actor, input.loggiKey, toReturn(input), context.origin);
    const order = await write(deps.db, context, work);
    return { success: true, order: toOrder(order, extrasFor(deps, actor)), errors: [] };
  }

  return {
    ...repricingMutations(deps, schema),
    answerActionRequired: (_parent: unknown, { input }: { input: contract.AnswerInput }, context: Context) =>
      answer(context, input).catch((error: unknown) => {
        return { success: false, package: null, applied: [], errors: errorsOf(error, context) };
      }),
    createPackageRequest: (_: unknown, { input }: contract.MutationCreatePackageRequestArgs, context: Context) =>
      ask(context, input).catch((error: unknown) => {
        return { success: false, request: null, errors: errorsOf(error, context).map(inFlatNames) };
      }),
    returnPackage: (_parent: unknown, { input }: { input: contract.ReturnInput }, context: Context) =>
      giveBack(input, context).catch((error: unknown) => {
        return { success: false, order: null, errors: errorsOf(error, context) };
      }),
  };
}

/** Makes the mutations that change the price of an order. */
function repricingMutations(deps: GraphqlDeps, schema: GraphQLSchema) {
  const checkAddress = inputCheck(schema, 'AddressChangeInput');

  async function change(
    context: Context,
    decide: (actor: Actor) => ReturnType<typeof cancelPackage>,
  ): Promise<contract.PackageChangePayload> {
    try {
      const actor = actorIn(context);
      const { changed, previousPricing, order } = await write(deps.db, context, await decide(actor));
      const after = { previousPricing: toPricing(previousPricing), order: toOrder(order, extrasFor(deps, actor)) };
      return { success: true, changed, ...after, errors: [] };
    } catch (error) {
      return { success: false, changed: false, previousPricing: null, order: null, errors: errorsOf(error, context) };
    }
  }

  return {
    cancelPackage: (_: unknown, { loggiKey, preview }: contract.MutationCancelPackageArgs, context: Context) => {
      const { traceparent } = context.origin;
      return change(context, (actor) => cancelPackage(deps, actor, loggiKey, { preview, traceparent }));
    },
    changeAddress: (_parent: unknown, { input }: contract.MutationChangeAddressArgs, context: Context) =>
      change(context, async (actor) => {
        demandNone(checkAddress(input, ''));
        return changeAddress(deps, actor, input.loggiKey, toAddressChange(input));
      }),
  };
}

function demandNone(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(errors);
}

/** The field errors of a refused change. Throws any other error again. */
function errorsOf(error: unknown, context: Context): contract.FieldError[] {
  if (!(error instanceof ServiceError)) throw error;
  const { code, reason, message, details, isPartial } = error;
  if (!['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'].includes(code)) throw error;
  const named = details.length > 0 ? details : [{ field: 'loggiKey', code: codeOfRecord(code), message }];
  const inInput = named.map(({ field, ...rest }) =>
    toFieldError({ field: field === 'body' ? 'input' : field, ...rest }),
  );
  return context.listed({ reason, details: inInput, isPartial });
}

/** Converts an answer. `loggiKey` is left out, because it only names the package. */
function toAnswer({ loggiKey: _, phone, address, instructions, note, ...others }: contract.AnswerInput): AnswerInput {
  others satisfies NoKey;
  return omitUndefined<AnswerInput>({
    phone: phone ?? undefined,
    address: address ? toAddressInput(address) : undefined,
    instructions: instructions ?? undefined,
    note: note ?? undefined,
  });
}

function toAddressChange({ loggiKey: _, address, total, ...others }: contract.AddressChangeInput): AddressChangeInput {
  others satisfies NoKey;
  return omitUndefined<AddressChangeInput>({ address: toAddressInput(address), totalCentavos: toCentavos(total) });
}

function toReturn({ loggiKey: _, ...input }: contract.ReturnInput): ReturnInput {
  const { paymentMethod, externalId, instructions, readyAt, expectedTotal, ...others } = input;
  others satisfies NoKey;
  return omitUndefined<ReturnInput>({
    paymentMethodId: paymentMethod ?? undefined,
    externalId: externalId ?? undefined,
    instructions: instructions ?? undefined,
    readyAt: toReadyTime(readyAt),
    expectedCentavos: toCentavos(expectedTotal),
  });
}
