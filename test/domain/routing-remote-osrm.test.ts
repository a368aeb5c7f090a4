import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { greatCircleTable } from '../../src/routing/embedded-distances.js';
import { createPlanning } from '../../src/routing/planning.js';
import {
  answering,
  type Behaviour,
  type RemoteService,
  recordingLog,
  startRemote,
  troubles,
} from './routing-remote-support.js';
import { placeAt } from './routing-support.js';

let osrm: RemoteService;
beforeAll(async () => {
  osrm = await startRemote();
});
afterAll(() => osrm.close());
beforeEach(() => {
  osrm.requested.length = 0;
});

function freshDistances() {
  const { log, lines } = recordingLog();
  return { distances: createPlanning({ osrmUrl: osrm.url, log }).distances, lines };
}

/** An OSRM in which a leg is as long as the places' longitudes, in degrees, are wide apart. */
const byLongitude: Behaviour = (request, response) => {
  const url = new URL(request.url ?? '', osrm.url);
  const longitudes = (url.pathname.split('/').at(-1) ?? '').split(';').map((pair) => Number(pair.split(',')[0]));
  const chosen = (name: string): number[] =>
    (url.searchParams.get(name) ?? '').split(';').map((index) => longitudes[Number(index)] ?? Number.NaN);
  if (longitudes.length > 100) return response.writeHead(400).end('{"code":"TooBig"}');
  const distances = chosen('sources').map((from) => chosen('destinations').map((to) => Math.abs(from - to) * 1_000));
  const durations = distances.map((row) => row.map((metres) => metres / 10));
  return answering({ code: 'Ok', distances, durations })(request, response, '');
};

describe('with an OSRM server', () => {
  test('distances and times are its own', async () => {
    osrm.behave(byLongitude);
    const { distances, lines } = freshDistances();
    expect(await distances.table([placeAt(-23, -46), placeAt(-23, -48), placeAt(-23, -43)])).toEqual({
      metres: [
        [0, 2_000, 3_000],
        [2_000, 0, 5_000],
        [3_000, 5_000, 0],
      ],
      seconds: [
        [0, 200, 300],
        [200, 0, 500],
        [300, 500, 0],
      ],
      source: 'osrm',
    });
    expect(osrm.requested[0]).toContain('/table/v1/driving/-46,-23;-48,-23;-43,-23;');
    expect(new URL(osrm.requested[0] ?? '', osrm.url).searchParams.get('annotations')).toBe('duration,distance');
    expect(lines).toEqual([]);
  });

  test('the table of 110 stops is requested in parts of at most 100 places', async () => {
    osrm.behave(byLongitude);
    const places = Array.from({ length: 110 }, (_, i) => placeAt(-23, -i / 4));
    const { metres, source } = await freshDistances().distances.table(places);
    expect(source).toBe('osrm');
    expect(metres).toHaveLength(110);
    expect(metres.every((row, i) => row.length === 110 && row.every((leg, j) => leg === Math.abs(i - j) * 250))).toBe(
      true,
    );
  });

  test('two addresses known to the same city are not at no distance from each other', async () => {
    osrm.behave(byLongitude);
    const city = placeAt(-23, -46, 'city');
    const { metres, seconds } = await freshDistances().distances.table([city, city]);
    expect(metres[0]?.[1]).toBeGreaterThan(4_000);
    expect(seconds[0]?.[1]).toBeGreaterThan(600);
    expect(metres[0]?.[0]).toBe(0);
  });
});

describe('when the server', () => {
  const places = [placeAt(-23, -46), placeAt(-22, -43)];
  const unusable: Record<string, Behaviour> = {
    ...troubles,
    'finds no road': answering({
      code: 'Ok',
      distances: [
        [0, null],
        [null, 0],
      ],
      durations: [
        [0, null],
        [null, 0],
      ],
    }),
    'answers a smaller table': answering({ code: 'Ok', distances: [[0]], durations: [[0]] }),
    'answers negative legs': answering({
      code: 'Ok',
      distances: [
        [0, -1],
        [1, 0],
      ],
      durations: [
        [0, 1],
        [1, 0],
      ],
    }),
    'answers an error': answering({ code: 'InvalidQuery', message: 'Query string malformed' }),
  };

  test.each(Object.keys(unusable))('%s, great-circle distances stand in and one line is logged', async (trouble) => {
    osrm.behave(unusable[trouble] ?? answering({}));
    const { distances, lines } = freshDistances();
    expect(await distances.table(places)).toEqual(greatCircleTable(places));
    expect(lines).toEqual([{ fields: expect.objectContaining({ service: 'OSRM' }), message: expect.any(String) }]);
  });
});
