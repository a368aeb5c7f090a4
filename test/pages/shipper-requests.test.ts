import { expect, test } from '@jest/globals';
import { movement, placeOrder, record } from '../operator/fixtures.js';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { ownService } from '../support/services.js';
import { type Fields, Visitor } from './visitor.js';

/** Requests of shippers about their packages at `/envios`, without a script. */

const service = await ownService();
const ana = await service.customer();
const visit = new Visitor(service.url);
await visit.signIn({ email: ana.email, password: PASSWORD });

test('a request is sent from the page of its package, which then shows the answer', async () => {
  const { packages } = await placeOrder(ana);
  const key = packages[0]?.loggi_key ?? '';
  const page = `/envios/packages/${key}`;
  await record(service.operator, movement(key, { status_code: 18 }));
  await visit.get(page);
  const { text } = await visit.submit(`${page}/requests`, {
    kind: 'inquiry',
    problem: 'late',
    request_note: 'Viaja amanhã.',
  });
  expect(text).toContain('Pedido enviado à transportadora.');
  expect(text).toMatch(/Consulta.*Está atrasado.*Viaja amanhã\..*Em aberto/s);
  const again = await visit.submit(`${page}/requests`, { kind: 'inquiry', problem: 'late' });
  expect([again.status, again.text]).toEqual([
    409,
    expect.stringContaining('Um pedido deste tipo já espera pela transportadora.'),
  ]);
  const { operator } = service.operator;
  const query = { kind: 'inquiry', loggi_key: key } as const;
  const [task] = must(await operator.GET('/operator/v1/tasks', { params: { query } })).data;
  const completion = { params: { path: { id: task?.id ?? '' } }, body: { note: 'Chega <b>amanhã</b>.' } };
  must(await operator.POST('/operator/v1/tasks/{id}/completion', completion));
  const answered = (await visit.get(page)).text;
  expect(answered).toMatch(/Está atrasado.*Viaja amanhã\..*Feito.*Chega &lt;b>amanhã/s);
  await record(service.operator, movement(key, { status_code: 2 }));
  expect((await visit.get(page)).text).not.toContain(`${page}/requests`);
});

test('a request with a manipulated form is refused at the field, and is not made', async () => {
  const { packages } = await placeOrder(ana);
  const key = packages[0]?.loggi_key ?? '';
  const page = `/envios/packages/${key}`;
  await record(service.operator, movement(key, { status_code: 18 }));
  const tampered: [Fields, RegExp][] = [
    [{ kind: 'burn', problem: 'late' }, /id="kind-error">[^<]*não é um dos valores possíveis/],
    [{ kind: '', problem: 'late' }, /id="kind-error">/],
    [{ kind: 'inquiry', problem: 'stolen' }, /id="problem-error">[^<]*não é um dos valores possíveis/],
    [{ kind: 'hold', until: 'amanhã' }, /id="until-error">/],
    [{ kind: 'hold', problem: 'late' }, /id="problem-error">/],
  ];
  for (const [fields, error] of tampered) {
    await visit.get(page);
    const { status, text } = await visit.submit(`${page}/requests`, fields);
    expect([fields, status, text]).toEqual([fields, 400, expect.stringMatching(error)]);
  }
  const list = await ana.rest.GET('/api/v1/packages/{loggi_key}/requests', { params: { path: { loggi_key: key } } });
  expect(must(list).data).toEqual([]);
});
