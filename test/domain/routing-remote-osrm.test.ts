import { describe, expect, test } from '@jest/globals';
import { greatCircleTable } from '../../src/routing/embedded-distances.js';
import { createPlanning } from '../../src/routing/planning.js';
import { answering, type Behaviour, recordingLog, startRemote, troubles } from './routing-remote-support.js';
import { placeAt } from './routing-support.js';

const osrm = await startRemote();

function freshDistances() {
  const { log, lines } = recordingLog();
  return { distances: createPlanning({ osrmUrl: osrm.url, log }).distances, lines };
}

const METRES_PER_DEGREE = 120_000;

/** A part of OSRM's answer: the point on the road for each place, and its distance from the place. */
const onTheRoad = (count: number, moved = 12.5) =>
  Array.from({ length: count }, () => ({ hint: 'AAAA', location: [-46.6, -23.5], name: 'Rua A', distance: moved }));

/** A table between two places, as OSRM 26 answers it. */
function tableOfTwo(metres: number | null, seconds: number | null, moved = 12.5) {
  const [distances, durations] = [metres, seconds].map((leg) => [
    [0, leg],
    [leg, 0],
  ]);
  return { code: 'Ok', distances, durations, sources: onTheRoad(2, moved), destinations: onTheRoad(2, moved) };
}

/** An OSRM whose legs follow the difference of longitudes. */
const byLongitude: Behaviour = (request, response) => {
  const url = new URL(request.url ?? '', osrm.url);
  const longitudes = (url.pathname.split('/').at(-1) ?? '').split(';').map((pair) => Number(pair.split(',')[0]));
  const chosen = (name: string): number[] =>
    (url.searchParams.get(name) ?? '').split(';').map((index) => longitudes[Number(index)] ?? Number.NaN);
  if (longitudes.length > 100) return response.writeHead(400).end('{"code":"TooBig"}');
  const distances = chosen('sources').map((from) =>
    chosen('destinations').map((to) => Math.abs(from - to) * METRES_PER_DEGREE),
  );
  const durations = distances.map((row) => row.map((metres) => metres / 10));
  const [sources, destinations] = [onTheRoad(distances.length), onTheRoad(distances[0]?.length ?? 0)];
  return answering({ code: 'Ok', distances, durations, sources, destinations })(request, response, '');
};

describe('with an OSRM server', () => {
  test('distances and times come from the server', async () => {
    osrm.behave(byLongitude);
    const { distances, lines } = freshDistances();
    expect(await distances.table([placeAt(-23, -46), placeAt(-23, -48), placeAt(-23, -43)])).toEqual({
      metres: [
        [0, 240_000, 360_000],
        [240_000, 0, 600_000],
        [360_000, 600_000, 0],
      ],
      seconds: [
        [0, 24_000, 36_000],
        [24_000, 0, 60_000],
        [36_000, 60_000, 0],
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
    expect(
      metres.every((row, i) => row.length === 110 && row.every((leg, j) => leg === Math.abs(i - j) * 30_000)),
    ).toBe(true);
  });

  test('two addresses with only the same city known have a distance above 0', async () => {
    osrm.behave(byLongitude);
    const city = placeAt(-23, -46, 'city');
    const { metres, seconds } = await freshDistances().distances.table([city, city]);
    expect(metres[0]?.[1]).toBeGreaterThan(3_000);
    expect(seconds[0]?.[1]).toBeGreaterThan(500);
    expect(metres[0]?.[0]).toBe(0);
  });
});

describe('a leg is computed by the embedded engine, and the log says so once,', () => {
  const places = [placeAt(-23.55, -46.63), placeAt(-3.12, -60.02)];
  const cases: [string, object, string][] = [
    ['where a place lies far from all roads', tableOfTwo(14_831, 1_500, 2_665_686), 'legsFarFromRoads'],
    ['where the road is shorter than the straight line', tableOfTwo(14_831, 1_500), 'legsShorterThanStraight'],
    ['where there is no road', tableOfTwo(null, null), 'legsWithoutRoad'],
  ];

  test.each(cases)('%s', async (_, answer, flaw) => {
    osrm.behave(answering(answer));
    const { distances, lines } = freshDistances();
    expect(await distances.table(places)).toEqual(greatCircleTable(places));
    await distances.table(places);
    expect(lines).toEqual([{ fields: { service: 'OSRM', [flaw]: 2, fallbacks: 1 }, message: expect.any(String) }]);
  });

  test('and the other legs come from the server; the source of the table is then great_circle', async () => {
    const [near, far] = [placeAt(-23.55, -46.63), placeAt(-23.56, -46.63)];
    const answer = {
      code: 'Ok',
      distances: [
        [0, 2_000, 1_500],
        [2_100, 0, 1_500],
        [1_500, 1_500, 0],
      ],
      durations: [
        [0, 300, 200],
        [310, 0, 200],
        [200, 200, 0],
      ],
      sources: [...onTheRoad(2), ...onTheRoad(1, 40_000)],
      destinations: [...onTheRoad(2), ...onTheRoad(1, 40_000)],
    };
    osrm.behave(answering(answer));
    const stops = [near, far, placeAt(-23.9, -46.63)];
    const { metres, seconds, source } = await freshDistances().distances.table(stops);
    const embedded = greatCircleTable(stops);
    expect([metres[0]?.[1], metres[1]?.[0], seconds[1]?.[0]]).toEqual([2_000, 2_100, 310]);
    expect([metres[0]?.[2], seconds[2]?.[1]]).toEqual([embedded.metres[0]?.[2], embedded.seconds[2]?.[1]]);
    expect(source).toBe('great_circle');
  });

  test('but not where the server moved a place by less than 5 % of a long leg', async () => {
    osrm.behave(answering(tableOfTwo(3_800_000, 180_000, 40_000)));
    const { distances, lines } = freshDistances();
    expect(await distances.table(places)).toMatchObject({ metres: [[0, 3_800_000], {}], source: 'osrm' });
    expect(lines).toEqual([]);
  });
});

describe('when the server', () => {
  const places = [placeAt(-23, -46), placeAt(-22, -43)];
  const unusable: Record<string, Behaviour> = {
    ...troubles,
    'answers a smaller table': answering({ ...tableOfTwo(500_000, 30_000), distances: [[0]], durations: [[0]] }),
    'does not tell where it put the places': answering({ ...tableOfTwo(500_000, 30_000), sources: [{}, {}] }),
    'tells it of too few places': answering({ ...tableOfTwo(500_000, 30_000), destinations: onTheRoad(1) }),
    'answers negative legs': answering(tableOfTwo(-1, 1)),
    'answers an error': answering({ code: 'InvalidQuery', message: 'Query string malformed' }),
  };

  test.each(Object.keys(unusable))('%s, great-circle distances are used and one line is logged', async (trouble) => {
    osrm.behave(unusable[trouble] ?? answering({}));
    const { distances, lines } = freshDistances();
    expect(await distances.table(places)).toEqual(greatCircleTable(places));
    expect(lines).toEqual([{ fields: expect.objectContaining({ service: 'OSRM' }), message: expect.any(String) }]);
  });
});
