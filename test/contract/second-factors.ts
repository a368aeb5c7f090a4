import { randomUUID } from 'node:crypto';
import { PASSWORD } from '../support/password.js';
import { newRecords } from '../support/records.js';
import { begunByPerson, begunFactor, enrolledOperator, giveFactor, newOperator } from '../support/second-factor.js';
import { keyed, type Provoke, send, whileHeld } from './send.js';

/** Provocations with second factors of customers. All other provocations use the operator's token. */
const ofPeople: Readonly<Record<string, Readonly<Record<string, Provoke>>>> = {
  beginOwnSecondFactor: {
    '409': async (operation, world) => {
      const { token, id } = await world.service.customer();
      await giveFactor(world.service, id);
      return send(operation, world, { token });
    },
  },
  confirmOwnSecondFactor: {
    '200': async (operation, world) => {
      const { token } = await world.service.customer();
      return send(operation, world, { token, body: (await begunByPerson(world.service.url, token, PASSWORD)).body });
    },
    '409': async (operation, world) => {
      const { token, id } = await world.service.customer();
      const { body } = await begunByPerson(world.service.url, token, PASSWORD);
      await giveFactor(world.service, id);
      return send(operation, world, { token, body });
    },
  },
  removeOwnSecondFactor: {
    '204': async (operation, world) => {
      const { token } = await newRecords(world.service, operation);
      return send(operation, world, { token });
    },
    '404': async (operation, world) => send(operation, world, { token: (await world.service.customer()).token }),
    '409': async (operation, world) => {
      const { token, userId } = await newRecords(world.service, operation);
      return whileHeld(operation, world, (key) => send(operation, world, { token, headers: keyed(key) }), userId);
    },
    '422': async (operation, world) => {
      const request = { token: (await world.service.customer()).token, headers: keyed(randomUUID()) };
      await send(operation, world, request);
      return send(operation, world, { ...request, body: { code: '000000' } });
    },
  },
};

const ofOperators: typeof ofPeople = {
  beginSecondFactor: {
    '409': async (operation, world) => {
      const { caller } = await enrolledOperator(world.service);
      return send(operation, world, { token: caller.token });
    },
  },
  confirmSecondFactor: {
    '200': async (operation, world) => {
      const caller = await world.service.signIn(await newOperator(world.service));
      return send(operation, world, { token: caller.token, body: (await begunFactor(caller)).body });
    },
    '409': async (operation, world) => {
      const caller = await world.service.signIn(await newOperator(world.service));
      const { body } = await begunFactor(caller);
      await giveFactor(world.service, caller.id);
      return send(operation, world, { token: caller.token, body });
    },
  },
};

export const secondFactors = { ...ofPeople, ...ofOperators };
