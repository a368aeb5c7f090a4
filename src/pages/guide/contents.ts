// The order of the guide. Other files of contracts/guides are pages of `guides`, and so are the chapters of
// contracts/guides/behaviour.md.

export interface Draft {
  /** Last part of its address; `index` is the page at `/docs/guide/` itself. */
  readonly slug: string;
  /** Begins with its title, `# …`. */
  readonly markdown: string;
}

export interface Group {
  readonly id: 'start' | 'guides' | 'requests' | 'reference' | 'changes';
  /** Its pages, before those that are made from the contracts and CHANGELOG.md. */
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

/** Pages of chapters of contracts/guides/behaviour.md, so that a subject has one page; others have their own. */
export const homes: Readonly<Record<string, string>> = {
  'one-domain-four-interfaces': 'index',
  'orders-packages-states': 'orders',
  'routes-and-times': 'addresses',
};

const BASE = '/docs/guide/';

export const addressOf = (slug: string): string => (slug === 'index' ? BASE : `${BASE}${slug}`);
