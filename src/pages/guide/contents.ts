// Lists the pages of the guide in order. Files of contracts/guides that no group names become pages of the group
// `guides`. So do chapters of contracts/guides/behaviour.md.

export interface Draft {
  /** The last part of the page's address. `index` is the page at `/docs/guide/`. */
  readonly slug: string;
  /** The text of the page. It begins with the title, `# …`. */
  readonly markdown: string;
}

export interface Group {
  readonly id: 'start' | 'guides' | 'requests' | 'reference' | 'changes';
  /** Pages of the group in order. Pages made from the contracts and from CHANGELOG.md follow them. */
  readonly slugs: readonly string[];
}

export const groups: readonly Group[] = [
  { id: 'start', slugs: ['index', 'quickstart', 'sandbox', 'journeys'] },
  {
    id: 'guides',
    slugs: [
      'orders',
      'checkout',
      'addresses',
      'webhook',
      'receivers',
      'polling',
      'tracking',
      'people',
      'clients',
      'agents',
      'courier',
    ],
  },
  {
    id: 'requests',
    slugs: [
      ...['identity-and-access', 'units-and-formats', 'paging', 'idempotency', 'errors', 'limits'],
      ...['rest-over-http', 'graphql-over-http'],
    ],
  },
  { id: 'reference', slugs: ['statuses'] },
  { id: 'changes', slugs: [] },
];

/** Pages that take in a chapter of contracts/guides/behaviour.md. The other chapters become pages of their own. */
export const homes: Readonly<Record<string, string>> = {
  'one-domain-four-interfaces': 'index',
  'orders-packages-states': 'orders',
  'routes-and-times': 'addresses',
};

const BASE = '/docs/guide/';

export const addressOf = (slug: string): string => (slug === 'index' ? BASE : `${BASE}${slug}`);
