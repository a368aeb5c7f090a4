import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { dayText } from '../../src/pages/written.js';
import { deliveryWindow } from '../../src/routing/timetable.js';
import { atPackage, bodyOf } from '../operator/fixtures.js';
import { ask } from '../support/http.js';
import { blobOf, jpeg } from '../support/pictures.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { packageMaker } from './tracked.js';

/** Parts of the page that only the recipient's own link shows. */

const service = await ownService();
const newPackage = await packageMaker(service);
const { operator } = service.operator;

const get = (path: string, language = 'pt-BR') =>
  fetch(`${service.url}${path}`, { headers: { 'Accept-Language': language } });
const page = async (path: string, language?: string) => (await get(path, language)).text();
const shown = async (path: string, language?: string) =>
  (await page(path, language)).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
const tracked = async (path: string): Promise<object> => (await get(path.replace('/t/', '/api/v1/tracking/'))).json();

/** Plans the delivery for 17:20 UTC on a day in the far future. */
const plan = (key: string, place: { city: string; state: string }) =>
  sql`update packages set eta = '2099-03-04T17:20:00Z', promised_date = '2099-03-04', city = ${place.city}, state = ${place.state}
    where loggi_key = ${key}`.execute(service.db);

const saoPaulo = { city: 'São Paulo', state: 'SP' };

describe('the time of the delivery', () => {
  test('is a window of four hours on the promised day, on the clocks of the municipality', async () => {
    const { path, key } = await newPackage();
    await plan(key, saoPaulo);
    expect(await shown(path)).toContain('Previsão de entrega quarta-feira, 4 de março, entre 13:00 e 17:00');
    expect(await shown(path, 'en')).toContain('Expected delivery Wednesday 4 March, between 13:00 and 17:00');
    const delivery_window = { from: '2099-03-04T16:00:00.000Z', to: '2099-03-04T20:00:00.000Z' };
    expect(await tracked(path)).toMatchObject({ promised_date: '2099-03-04', delivery_window });
    await plan(key, { city: 'Rio Branco', state: 'AC' });
    expect(await shown(path)).toMatch(/entre 11:00 e 15:00.*Horários de Rio Branco/);
  });

  test('is only the day when the package has left its plan, and is not shown while it is held up', async () => {
    const { path, key, move } = await newPackage();
    await plan(key, saoPaulo);
    // The package goes out on another day than planned.
    await move(11);
    expect(await shown(path)).toContain('Previsão de entrega quarta-feira, 4 de março O entregador');
    expect(await tracked(path)).not.toHaveProperty('delivery_window');
    await move(6);
    expect(await shown(path)).not.toMatch(/Previsão|entre \d/);
  });

  test('is the time that came with the current status, until it is over or another status follows', async () => {
    const { path, key, move } = await newPackage();
    await plan(key, saoPaulo);
    const hours = { from: '2026-11-30T12:00:00Z', to: '2026-11-30T16:00:00Z' };
    const write = (from: string, to: string) =>
      sql`update movements set expected_from = ${from}, expected_to = ${to} where loggi_key = ${key} and seq > 1`.execute(
        service.db,
      );
    const now = Date.now();
    await move(18, {
      expected: { from: new Date(now + 60_000).toISOString(), to: new Date(now + 120_000).toISOString() },
    });
    await write('2099-11-30T12:00:00Z', '2099-11-30T16:00:00Z');
    expect(await shown(path)).toContain('Previsão de entrega segunda-feira, 30 de novembro, entre 09:00 e 13:00');
    expect(await tracked(path)).toMatchObject({
      delivery_window: { from: '2099-11-30T12:00:00.000Z', to: '2099-11-30T16:00:00.000Z' },
    });
    await write('2099-11-30T12:00:00Z', '2099-12-01T16:00:00Z');
    expect(await shown(path, 'en')).toContain('from Monday 30 November, 09:00, to Tuesday 1 December, 13:00');
    await write(hours.from.replace('2026', '2020'), hours.to.replace('2026', '2020'));
    expect(await shown(path)).not.toMatch(/entre \d/);
    expect(await tracked(path)).not.toHaveProperty('delivery_window');
    await write('2099-11-30T12:00:00Z', '2099-11-30T16:00:00Z');
    await move(17);
    expect(await shown(path)).not.toMatch(/entre \d/);
  });

  test('is the day of the next attempt when the first one has failed', async () => {
    const { path, key, move } = await newPackage();
    const next_on = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    await move(18, { attempt: { outcome: 'absent', next_on } });
    await sql`update packages set attempt_next_on = '2099-12-01' where loggi_key = ${key}`.execute(service.db);
    expect(await shown(path)).toContain('Previsão de entrega terça-feira, 1 de dezembro');
    await sql`update packages set attempt_next_on = '2026-01-05' where loggi_key = ${key}`.execute(service.db);
    expect(await shown(path)).not.toContain('1 de dezembro');
  });

  test('comes with the reason of a failed attempt and the day of the next, until that day is over', async () => {
    const { path, key, move } = await newPackage();
    const tried = () => shown(path);
    const next_on = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    await move(18, { attempt: { outcome: 'absent', next_on } });
    expect(await tried()).toMatch(/1ª tentativa: ninguém atendeu\. Nova tentativa: \S+, \d+ de \S+\./);
    expect(await tracked(path)).toMatchObject({ attempts: { count: 1, last_outcome: 'absent', next_on } });
    await move(17, { attempt: { outcome: 'not_attempted' } });
    expect(await tried()).toContain('O entregador não chegou a tentar a entrega.');
    await move(18, { attempt: { outcome: 'closed', next_on } });
    expect(await shown(path, 'en')).toMatch(/Attempt 2: the place was closed\. Next attempt: /);
    await sql`update packages set attempt_next_on = '2026-01-05' where loggi_key = ${key}`.execute(service.db);
    expect(await tried()).toMatch(/2ª tentativa: o local estava fechado\. (?!Nova)/);
    await sql`update packages set attempt_next_on = ${next_on} where loggi_key = ${key}`.execute(service.db);
    await move(11);
    expect(await tried()).not.toContain('Nova tentativa');
    await move(5);
    expect(await tried()).not.toContain('tentativa:');
    expect(await tracked(path)).not.toHaveProperty('attempts');
  });

  test('is only the day after a failed attempt', async () => {
    const { path, key, move } = await newPackage();
    await plan(key, saoPaulo);
    await move(18);
    await move(17);
    expect(await shown(path)).toContain('Previsão de entrega quarta-feira, 4 de março ');
    expect(await shown(path)).not.toMatch(/entre \d/);
  });

  test.each([
    ['2099-03-04T17:20:00Z', '2099-03-04T16:00:00.000Z'],
    // The beginning and the end of a working day.
    ['2099-03-04T11:00:00Z', '2099-03-04T11:00:00.000Z'],
    ['2099-03-04T22:56:00Z', '2099-03-04T19:00:00.000Z'],
  ])('planned for %s begins at %s, in a window that contains the plan', (planned, begin) => {
    const [eta, now] = [new Date(planned), new Date('2099-03-01T00:00:00Z')];
    const window = deliveryWindow({ eta, leftAt: undefined, hours: null }, saoPaulo, now);
    expect(window?.from.toISOString()).toBe(begin);
    expect(Number(window?.to) - Number(window?.from)).toBe(4 * 3_600_000);
    expect(Number(window?.to)).toBeGreaterThan(eta.getTime());
    expect(deliveryWindow({ eta, leftAt: eta, hours: null }, saoPaulo, now)).toEqual(window);
    expect(
      deliveryWindow({ eta, leftAt: new Date('2099-03-03T17:00:00Z'), hours: null }, saoPaulo, now),
    ).toBeUndefined();
    expect(deliveryWindow({ eta, leftAt: eta, hours: null }, saoPaulo, window?.to ?? now)).toBeUndefined();
  });

  test('is called today or tomorrow by the clocks of the municipality', () => {
    const days = (time: string, place: { city: string; state: string }) =>
      ['2099-03-04', '2099-03-05', '2099-03-06'].map((date) =>
        dayText(date, place, { now: new Date(time), language: 'pt-BR' }),
      );
    expect(days('2099-03-05T02:59:00Z', saoPaulo)).toEqual(['hoje', 'amanhã', 'sexta-feira, 6 de março']);
    expect(days('2099-03-05T03:00:00Z', saoPaulo)).toEqual(['quarta-feira, 4 de março', 'hoje', 'amanhã']);
    expect(days('2099-03-05T03:00:00Z', { city: 'Manaus', state: 'AM' })[0]).toBe('hoje');
  });
});

test.each([
  ['https://loja.example.com/ajuda', 'href="https://loja.example.com/ajuda">loja.example.com/ajuda<'],
  ['ajuda@example.com', 'href="mailto:ajuda@example.com">ajuda@example.com<'],
  ['+55 (11) 91234-5678', 'href="tel:+5511912345678">+55 (11) 91234-5678<'],
])('the contact of the shipper is a link: %s', async (contact, link) => {
  const { path, setContact } = await newPackage();
  await setContact(contact);
  expect(await page(path)).toContain(link);
  expect(await tracked(path)).toMatchObject({ support_contact: contact });
});

test('the page asks for the PIN when the package is out for delivery, and no page shows it', async () => {
  const [{ path, move, pin }, without] = [await newPackage({ delivery_pin: true }), await newPackage()];
  const asked = 'vai pedir o código de 6 dígitos que Ana Souza enviou a você';
  await move(14);
  expect(await shown(path)).not.toContain(asked);
  for (const each of [{ move }, without]) await each.move(11);
  expect(await shown(path)).toContain(asked);
  expect(await tracked(path)).toMatchObject({ pin_asked: true });
  expect(await shown(without.path)).not.toContain(asked);
  await move(5, { pin });
  expect(await shown(path)).not.toContain(asked);
  for (const html of [await page(path), JSON.stringify(await tracked(path))])
    expect(html.replaceAll(/\d\d:\d\d:\d\d\.\d+Z/g, '')).not.toContain(pin);
});

test('a delivery that was recorded by mistake is shown as a mistake, and the package goes on', async () => {
  const { path, key, move } = await newPackage();
  await move(11);
  await move(5, { proof: { recipient_name: 'Marta' } });
  const body = { reason: 'Era outro pacote.', current_password: operatorLogin.password };
  await bodyOf(operator.POST('/operator/v1/packages/{loggi_key}/reopening', { ...atPackage(key), body }));
  const text = await shown(path);
  expect(text).toContain('A situação anterior foi registrada por engano. O pacote segue.');
  expect(text).toContain('· correção');
  expect(text).not.toContain('Marta');
});

describe('after the delivery', () => {
  const deliver = async () => {
    const parcel = await newPackage();
    const { key, move } = parcel;
    await move(5, { proof: { recipient_name: 'Carla <Lima>', recipient_document: '4821' } });
    const body = blobOf(jpeg());
    await ask(service.url, 'PUT', `/operator/v1/packages/${key}/proof/photo`, { token: service.operator.token, body });
    return parcel;
  };

  test('the page shows who received the package, and the photo', async () => {
    const { path } = await deliver();
    expect(await page(path)).toContain('Recebido por Carla &lt;Lima>');
    const { photo_path, received_by } = Object(await tracked(path));
    expect([photo_path, received_by]).toEqual([`${path}/photo`, 'Carla <Lima>']);
    const src = /<img src="([^"]*)"/.exec(await page(path))?.[1] ?? '';
    expect(new URL(src, `${service.url}${path}`).pathname).toBe(photo_path);
    const photo = await get(photo_path);
    expect([photo.status, photo.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect([photo.headers.get('cache-control'), photo.headers.get('x-robots-tag')]).toEqual(['no-store', 'noindex']);
    expect(Number(photo.headers.get('content-length'))).toBeLessThanOrEqual(1_048_576);
    expect(await page(path)).not.toContain('4821');
  });

  test('the photo is 404 before the delivery, in the public view, and after the link was revoked', async () => {
    const [{ path, code, revoke }, other] = [await deliver(), await newPackage()];
    const publicView = await fetch(`${service.url}/rastreio?code=${code}&cep=05422-000`);
    const statusOf = async (of: string) => (await get(`${of}/photo`)).status;
    expect([await statusOf(path), await statusOf(other.path)]).toEqual([200, 404]);
    expect([publicView.status, await statusOf(new URL(publicView.url).pathname)]).toEqual([200, 404]);
    await revoke();
    expect(await statusOf(path)).toBe(404);
  });
});

test('a link that a label of an earlier release may carry shows no data of the recipient until it is renewed', async () => {
  const { path, key, move, pin } = await newPackage({ delivery_pin: true });
  await plan(key, saoPaulo);
  await sql`update packages set link_shows_all = false where loggi_key = ${key}`.execute(service.db);
  const before = [...Object.keys(await tracked(path))].sort();
  expect(await shown(path)).toContain('Previsão de entrega quarta-feira, 4 de março O remetente');
  await move(11);
  expect(await shown(path)).not.toContain('código de 6 dígitos');
  await move(5, { pin, proof: { recipient_name: 'Carla Lima' } });
  expect(await shown(path)).not.toContain('Carla');
  expect(Object.keys(await tracked(path)).sort()).toEqual(before);
  const renewal = operator.POST('/operator/v1/packages/{loggi_key}/tracking-link', atPackage(key));
  const { tracking_url = '' } = await bodyOf(renewal);
  expect(await shown(new URL(tracking_url).pathname)).toContain('Recebido por Carla Lima');
});
