import { Card } from '../../design/pieces.js';
import { type Text, todayTexts as texts } from '../../texts.js';
import type { Visit } from '../../visit.js';
import { Say } from '../../written.js';

interface Step {
  title: Text;
  hint: Text;
  isDone: boolean;
  links: readonly (readonly [href: string, text: Text])[];
}

/** A new database already has one calendar and one rate card. A second one shows that an operator set their own. */
const GIVEN = 1;

const countOf = ({ pagination }: { pagination: { total_items: number } }): number => pagination.total_items;

/** Reads which steps of the setup are done. */
export async function setupSteps({ ask }: Visit): Promise<readonly Step[]> {
  const query = { page_size: 1 };
  const [calendars, areas, cards, users, endpoints] = await Promise.all([
    ask('GET /operator/v1/calendars', { query }),
    ask('GET /operator/v1/service-areas', { query }),
    ask('GET /operator/v1/rate-cards', { query }),
    ask('GET /api/v1/users', { query: { ...query, role: 'customer' } }),
    ask('GET /operator/v1/webhook-endpoints', { query }),
  ]);
  return [
    {
      title: texts.whenAndWhere,
      hint: texts.whenAndWhereHint,
      isDone: countOf(calendars) > GIVEN && countOf(areas) > 0,
      links: [
        ['/console/calendars', texts.calendar],
        ['/console/service-areas', texts.areas],
      ],
    },
    {
      title: texts.price,
      hint: texts.priceHint,
      isDone: countOf(cards) > GIVEN,
      links: [['/console/rate-cards', texts.price]],
    },
    {
      title: texts.firstCustomer,
      hint: texts.firstCustomerHint,
      isDone: countOf(users) > 0,
      links: [['/console/users', texts.firstCustomer]],
    },
    {
      title: texts.firstEndpoint,
      hint: texts.firstEndpointHint,
      isDone: countOf(endpoints) > 0,
      links: [['/console/webhook-endpoints', texts.firstEndpoint]],
    },
  ];
}

/** Lists the steps with links until all steps are done. */
export function Setup({ steps }: { steps: readonly Step[] }) {
  if (steps.every(({ isDone }) => isDone)) return null;
  return (
    <Card title={texts.setup}>
      <ol class="setup">
        {steps.map(({ title, hint, isDone, links }) => (
          <li class={isDone ? 'done' : undefined}>
            <strong>
              <Say text={title} />
            </strong>{' '}
            {isDone ? (
              <span class="chip completed">
                <Say text={texts.isDone} />
              </span>
            ) : (
              <span class="chip created">
                <Say text={texts.toDo} />
              </span>
            )}
            <p class="hint">
              <Say text={hint} />
            </p>
            <p>
              {links.map(([href, text]) => [
                <a href={href}>
                  <Say text={text} />
                </a>,
                ' ',
              ])}
            </p>
          </li>
        ))}
      </ol>
    </Card>
  );
}
