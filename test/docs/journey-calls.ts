import { parse } from 'yaml';
import { bundles, fields, fileText, isNode, type Node, operationsOf } from '../contract/contract-files.js';
import { type Call, fromAnswer } from './pasted-calls.js';

/** Requests of the steps of a journey, in their order, with the journey's own inputs. */

/** Values of expressions such as `$inputs.email` within a workflow. */
type Values = Map<string, unknown>;

const list = (value: unknown): Node[] => [value].flat().filter(isNode);

export function journeyCalls(file: string): Call[] {
  const journey: Node = parse(fileText(`contracts/journeys/${file}`));
  let number = 0;
  const ofWorkflows: Values = new Map();
  return list(journey['workflows']).flatMap(({ workflowId, inputs, steps, outputs }) => {
    const values: Values = new Map([
      ...ofWorkflows,
      ...Object.entries(fields(fields(inputs)['properties'])).map(([name, schema]): [string, unknown] => [
        `$inputs.${name}`,
        fields(schema)['default'],
      ]),
    ]);
    const calls = list(steps).map((step) => {
      number += 1;
      const call = callOf(step, values);
      for (const [name, expression] of Object.entries(fields(step['outputs']))) {
        const pointer = String(expression).replace('$response.body#', '');
        values.set(`$steps.${step['stepId']}.outputs.${name}`, fromAnswer(number, pointer));
      }
      return call;
    });
    for (const [name, expression] of Object.entries(fields(outputs)))
      ofWorkflows.set(`$workflows.${workflowId}.outputs.${name}`, evaluated(expression, values));
    return calls;
  });
}

function callOf(step: Node, values: Values): Call {
  const parameters = list(step['parameters']);
  const placed = (place: string): [name: string, value: string][] =>
    parameters.flatMap((each) =>
      each['in'] === place ? [[String(each['name']), String(evaluated(each['value'], values))]] : [],
    );
  const { method, path } = operationOf(String(step['operationId']));
  const query = placed('query').map(([name, value]) => `${name}=${value}`);
  const ids = new Map(placed('path'));
  const { contentType, payload } = fields(step['requestBody']);
  return {
    method,
    path: [
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? ''),
      ...(query.length > 0 ? [query.join('&')] : []),
    ].join('?'),
    headers: {
      ...Object.fromEntries(placed('header')),
      ...(contentType !== undefined && { 'Content-Type': String(contentType) }),
    },
    ...(payload !== undefined && { body: evaluated(payload, values) }),
  };
}

const graphql: Node = parse(fileText('contracts/journeys/graphql.openapi.yaml'));

function operationOf(reference: string): { method: string; path: string } {
  const [, source = '', id = ''] = /^\$sourceDescriptions\.(\w+)\.(\w+)$/.exec(reference) ?? [];
  const description = { ...bundles, graphql }[source] ?? {};
  const operation = operationsOf(description).find((each) => each.id === id);
  if (!operation) throw new Error(`no operation ${reference}`);
  return operation;
}

/** A part of a payload with its expressions replaced: one that is the whole text, and those in braces. */
function evaluated(part: unknown, values: Values): unknown {
  if (Array.isArray(part)) return part.map((each) => evaluated(each, values));
  if (isNode(part))
    return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, evaluated(each, values)]));
  if (typeof part !== 'string') return part;
  if (values.has(part)) return values.get(part);
  return part.replaceAll(/\{(\$[\w.]+)\}/g, (_, expression: string) => String(values.get(expression)));
}
