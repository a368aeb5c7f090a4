import stateTable from '../data/states.json' with { type: 'json' };
import { nameKey } from './words.js';

const { states } = stateTable;

const byCode = new Map(states.map(({ state }) => [state.toLowerCase(), state]));
const byName = new Map(states.map(({ state, name }) => [nameKey(name), state]));
const names = new Map(states.map(({ state, name }) => [state, name]));
const capitals = new Map(states.map(({ state, capital }) => [state, nameKey(capital)]));

export const nameOfState = (state: string): string => names.get(state) ?? state;

export const stateByCode = (word: string): string | undefined => byCode.get(word);

export const stateByName = (key: string): string | undefined => byName.get(key);

export const capitalOf = (state: string): string | undefined => capitals.get(state);

/** The key of the capital's name, if the state has the same name. Then the name alone may mean the city. */
export const capitalNamedAfter = (state: string): string | undefined =>
  state === 'SP' || state === 'RJ' ? capitals.get(state) : undefined;
