import { type DocumentNode, type FieldNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { invalid } from '../base/errors.js';
import { idempotencyKey } from '../http/idempotency.js';
import { actorIn, type Context } from './context.js';

/** What anybody may ask for; the schema is published anyway. */
const open = new Set(['login', '__typename', '__schema', '__type']);

/** The root fields of an operation, those in fragments too, whether or not a directive would skip them. */
function rootFields(document: DocumentNode, operation: OperationDefinitionNode): FieldNode[] {
  const seen = new Set<string>();
  const fieldsOf = ({ selections }: SelectionSetNode): FieldNode[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return selection;
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet);
      if (seen.has(selection.name.value)) return [];
      seen.add(selection.name.value);
      return document.definitions.flatMap((definition) =>
        definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value
          ? fieldsOf(definition.selectionSet)
          : [],
      );
    });
  return fieldsOf(operation.selectionSet);
}

/**
 * Decides, before anything runs, whether an operation may. Throws `UNAUTHENTICATED` when it needs credentials and there are
 * none, `VALIDATION_ERROR` for an Idempotency-Key that is none or could stand for more than one order.
 */
export function demandPermission(document: DocumentNode, operation: OperationDefinitionNode, context: Context): void {
  const fields = rootFields(document, operation);
  if (fields.some(({ name }) => !open.has(name.value))) actorIn(context);
  const orders = fields.filter(({ name }) => name.value === 'createOrder');
  if (orders.length === 0 || idempotencyKey(context.idempotencyKey) === undefined) return;
  if (new Set(orders.map(({ alias, name }) => (alias ?? name).value)).size > 1) {
    throw invalid([{ field: 'Idempotency-Key', message: 'can be sent with one createOrder only' }]);
  }
}
