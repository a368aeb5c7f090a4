import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mutants } from '../faults/mutants.js';
import { actionsOf, definitionOf, headOf, modules, namedIn, sources, standsOf } from './actions.js';
import { models } from './models.js';

const texts = modules();
const stands = texts.flatMap(([name, text]) => standsOf(name, text));

test('every action of a model says which code it stands for, or that it is the world', () => {
  const silent = texts.flatMap(([name, text]) => {
    const actions = actionsOf(text);
    assert.ok(actions.length > 3, `${name} has no actions`);
    return actions
      .filter((action) => !/^\\\* (Code: \S+ \w+ ".+"|World: .+)$/m.test(headOf(text, action)))
      .map((action) => `${name}!${action}`);
  });
  assert.deepEqual(silent, []);
});

test('every function that an action names is there, and has the statement that it quotes', () => {
  const wrong = stands.filter(({ file, name, quote }) => !definitionOf(file, name)?.includes(quote));
  assert.deepEqual(wrong, []);
});

test('a function names in its comment the actions that stand for it, and no other', () => {
  const expected = stands.map(({ file, name, action }) => `${file} ${name} ${action}`);
  assert.deepEqual(sources().flatMap(namedIn).sort(), [...new Set(expected)].sort());
});

test('every model is checked, and every variant that leaves out a guard is listed', () => {
  assert.deepEqual(models.map(({ module }) => module).sort(), texts.map(([name]) => name).sort());
  for (const { module, variants } of models) {
    const text = texts.find(([name]) => name === module)?.[1] ?? '';
    const guards = [...text.matchAll(/Broken [=#] "(.+?)"/g)].map(([, name]) => name);
    assert.deepEqual([...new Set(variants.map(({ broken }) => broken))].sort(), [...new Set(guards)].sort());
  }
});

test('a variant that is the counterpart of a mutant names one that there is', () => {
  const names = new Set(mutants.map(({ name }) => name));
  const unknown = models.flatMap(({ variants }) => variants.filter(({ mutant }) => mutant && !names.has(mutant)));
  assert.deepEqual(unknown, []);
});
