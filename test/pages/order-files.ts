import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import type { Service } from '../support/service.js';
import { Visitor } from './visitor.js';

/** Files of orders, as shippers upload them at `/envios`. */

/** Settings of the service. */
export const settings = { RATE_LIMIT_ACCOUNT_PER_HOUR: '100', TRUST_PROXY: '1' };
export const PAGE = '/envios/import';
export const PICKUP = 'Av. Paulista, 1578, São Paulo - SP, 01310-200';
export const HEAD = 'referencia;nome;telefone;endereco;largura_cm;altura_cm;comprimento_cm;peso_kg;valor_declarado';
let addresses = 0;

/** A shipper who has signed in, from an address of its own. */
export async function shipperAt(service: Service) {
  const customer = await service.customer();
  const visit = new Visitor(service.url, { 'X-Forwarded-For': `10.9.2.${++addresses}` });
  await visit.signIn({ email: customer.email, password: PASSWORD });
  const upload = async (content: string | Buffer, pickup = PICKUP) => {
    await visit.get(PAGE);
    return visit.upload(PAGE, 'pedidos.csv', content, { pickup });
  };
  const orders = async () => must(await customer.rest.GET('/api/v1/orders', {})).pagination.total_items;
  return { visit, customer, upload, orders };
}

export const row = (
  reference: string,
  other: Partial<Record<'address' | 'phone' | 'weight' | 'value', string>> = {},
) => {
  const {
    address = 'Rua Oscar Freire, 300, São Paulo - SP',
    phone = '11 91234-5678',
    weight = '1,2',
    value = '',
  } = other;
  return [reference, 'Maria da Silva', phone, address, '20', '10,5', '30', weight, value].join(';');
};

export const fileOf = (...rows: string[]) => [HEAD, ...rows, ''].join('\r\n');
export const rowsOf = (count: number, from = 1) => Array.from({ length: count }, (_, at) => row(`P-${from + at}`));

/** The counts on the page: all rows, ready, placed, already placed before, and to be corrected. */
export const facts = ({ page }: Visitor) =>
  [...page.text.matchAll(/<dd>(\d+)<\/dd>/g)].map(([, count]) => Number(count));

/** The ticked box below the sum. */
export const agreed = { agreed: 'yes' };

async function toTheEnd(visit: Visitor, action: string) {
  while (visit.page.text.includes(`action="${action}"`)) await visit.submit(action, agreed);
}
export const checkAll = (visit: Visitor) => toTheEnd(visit, `${PAGE}/check/parts`);
export const orderAll = (visit: Visitor) => toTheEnd(visit, `${PAGE}/order/parts`);

const FAULTY = /download="corrigir\.csv"[^>]* href="data:text\/csv;charset=utf-8;base64,([^"]+)"/;
export const faultyFile = ({ page }: Visitor) => Buffer.from(FAULTY.exec(page.text)?.[1] ?? '', 'base64').toString();
