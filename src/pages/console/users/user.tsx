import { chosen } from '../../chosen.js';
import { Choice, Field, PostForm } from '../../design/forms.js';
import { SplitPage } from '../../design/frame.js';
import { Card, Copy, EndingLink, factList, LinkLine, Section, TextLink } from '../../design/pieces.js';
import { type Column, TableSection } from '../../design/tables.js';
import { ending, plainEndings } from '../../session/ending.js';
import { YesNo } from '../../shared/words.js';
import { memberTexts, userTexts as texts, valueWords } from '../../texts.js';
import { calling, param, type Schemas, useVisit, type Visit } from '../../visit.js';
import { Time, Word } from '../../written.js';
import { ownName } from '../names.js';
import { CardName, STANDARD } from '../prices/rates.js';
import { CurrentPassword, ProfileFields, profileOf, Role, RoleChoice, type User } from './list.js';

const PAGE = '/console/users/{id}';

export async function showUser({ ask, askVersion, session }: Visit) {
  const [{ data: user, version }, fiscal, prices, cards, keys] = await Promise.all([
    askVersion('GET /api/v1/users/{id}'),
    ask('GET /operator/v1/users/{id}/fiscal-rule'),
    ask('GET /operator/v1/users/{id}/rate-card'),
    ask('GET /operator/v1/rate-cards', { query: { page_size: 100 } }),
    ask('GET /operator/v1/users/{id}/api-keys', { query: { page_size: 100 } }),
  ]);
  const of = encodeURIComponent(user.email);
  const side = [
    <UpdateForm {...{ user, version }} isOwn={session.accountId === user.id} />,
    <Card title={texts.fiscalRule}>
      <PostForm action={`/console/users/${user.id}/fiscal-rule`} operation={FISCAL_RULE} submit={texts.save}>
        <Choice name="rule" label={texts.fiscal_document} value={fiscal.rule} options={fiscalOptions} />
      </PostForm>
    </Card>,
    <PricesCard prices={prices} names={[...new Set(cards.data.map(({ name = STANDARD }) => name))]} />,
  ];
  return (
    <SplitPage title={user.name} side={side}>
      {factList([
        [texts.email, user.email],
        [texts.phone, user.phone],
        [texts.tax_id, user.tax_id],
        [texts.phoneConfirmed, <YesNo is={user.phone_confirmed} />],
        [texts.role, <Role role={user.role} />],
        [texts.created, <Time at={user.created_at} />],
        [texts.id, <Copy value={user.id} />],
      ])}
      <p class="send">
        <TextLink href={`/console/orders?account=${of}`} text={texts.orders} kind="button secondary" />
        <TextLink href={`/console/packages?account=${of}`} text={texts.packages} kind="button secondary" />
        <TextLink href={`/console/webhook-endpoints?account=${of}`} text={texts.endpoints} kind="button secondary" />
        {user.role === 'customer' && (
          <TextLink href={`/console/users/${user.id}/members`} text={memberTexts.members} kind="button secondary" />
        )}
        <TextLink href={`/console/users/${user.id}/statements`} text={texts.statements} kind="button secondary" />
      </p>
      <TableSection caption={texts.apiKeys} columns={keyColumns} rows={keys.data} />
      <UserActions user={user} />
    </SplitPage>
  );
}

type UserRateCard = Schemas['UserRateCard'];

function PricesCard({ prices, names }: { prices: UserRateCard; names: readonly string[] }) {
  const { user_id: id, name, version, valid_from: from, announced } = prices;
  return (
    <Card title={texts.rateCard}>
      {factList([
        [texts.cardName, [<CardName name={name} />, ` (${version})`]],
        [texts.since, <Time at={from} />],
        [
          texts.announced,
          announced && [
            <CardName name={announced.name} />,
            ` (${announced.version}), `,
            <Time at={announced.valid_from} />,
          ],
        ],
      ])}
      <PostForm action={`/console/users/${id}/rate-card`} operation={RATE_CARD} submit={texts.giveCard}>
        <Choice
          name="card"
          label={texts.cardName}
          value={name}
          options={names.map((each) => [each, each === STANDARD ? texts.standard : each])}
        />
        <Field name="from" type="date" label={texts.firstDay} hint={texts.firstDayHint} isRequired />
      </PostForm>
      <LinkLine href={`/console/rate-cards?user_id=${id}`} text={texts.previewOfOwn} />
    </Card>
  );
}

const RATE_CARD = 'PUT /operator/v1/users/{id}/rate-card';

export const giveRateCard = calling(RATE_CARD, PAGE, 'saved', ({ form }) => ({
  name: form.text('card'),
  from: form.text('from'),
}));

const UPDATE = 'PUT /api/v1/users/{id}';

function UpdateForm({ user, version, isOwn }: { user: User; version: string; isOwn: boolean }) {
  const { say } = useVisit();
  return (
    <Card title={texts.change}>
      <PostForm action={`/console/users/${user.id}`} operation={UPDATE} submit={texts.save} hidden={{ version }}>
        <ProfileFields user={user} />
        <RoleChoice chosen={user.role} />
        <Field name="password" type="password" label={texts.newPassword} autocomplete="new-password" />
        <p class="hint">{say(texts.keysEnd)}</p>
        <CurrentPassword hint={isOwn ? texts.currentHint : texts.updateProofHint} />
      </PostForm>
    </Card>
  );
}

export const updateUser = calling(UPDATE, PAGE, 'saved', ({ form }) => profileOf(form));

const keyColumns: readonly Column<Schemas['ApiKey']>[] = [
  [texts.name, ({ name }) => name],
  [texts.scope, ({ scope }) => <Word of={valueWords.keyScopes} value={scope} />],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
  [texts.expires, ({ expires_at: at }) => at && <Time at={at} />],
  [texts.revoked, (key) => (key.revoked_at ? <Time at={key.revoked_at} /> : <KeyRevocation of={key} />)],
];

const KeyRevocation = ({ of: { user_id: user, id } }: { of: Schemas['ApiKey'] }) => (
  <EndingLink href={`/console/users/${user}/api-keys/${id}/revocation`} text={texts.revoke} />
);

const FISCAL_RULE = 'PUT /operator/v1/users/{id}/fiscal-rule';
const fiscalRules = ['default', 'optional', 'required'] as const;

const fiscalOptions = fiscalRules.map((each) => [each, texts[each]] as const);

export const setFiscalRule = calling(FISCAL_RULE, PAGE, 'saved', ({ form }) => ({
  rule: chosen(form, 'rule', fiscalRules),
}));

function UserActions({ user }: { user: User }) {
  const at = `/console/users/${user.id}`;
  return (
    <Section title={texts.actions} kind="actions">
      {!user.phone_confirmed && (
        <PostForm action={`${at}/phone-confirmation`} operation={CONFIRMATION} submit={texts.confirmPhone} />
      )}
      <LinkLine href={`/console/audit-log?user_id=${user.id}`} text={texts.audit} />
      <EndingLink href={`${at}/api-key-rotation`} text={texts.rotateKey} />
      <EndingLink
        href={
          user.role === 'operator' ? `${at}/second-factor-removal` : `${at}/members/${user.id}/second-factor/removal`
        }
        text={texts.removeFactor}
      />
      <EndingLink href={`${at}/deactivation`} text={texts.deactivate} />
    </Section>
  );
}

const CONFIRMATION = 'POST /operator/v1/users/{id}/phone-confirmation';
export const confirmPhone = calling(CONFIRMATION, PAGE);

const plain = plainEndings(PAGE, ownName);
const OF_USER = '/operator/v1/users/{id}';
export const keyRotation = plain(texts.rotateKey, `POST ${OF_USER}/api-key-rotation`, texts.rotateKeyHint);
export const factorRemoval = plain(texts.removeFactor, `DELETE ${OF_USER}/second-factor`, texts.removeFactorHint);
export const keyRevocation = plain(texts.revoke, `DELETE ${OF_USER}/api-keys/{key_id}`, texts.revokeHint);

export const deactivation = ending({
  submit: texts.deactivate,
  operation: 'DELETE /api/v1/users/{id}',
  back: PAGE,
  next: '/console/deleted-users',
  done: 'deactivated',
  about: async (visit) => {
    const { ask, askVersion } = visit;
    const query = { user_id: param(visit, 'id'), page_size: 1 };
    const [{ data: user, version }, orders, endpoints] = await Promise.all([
      askVersion('GET /api/v1/users/{id}'),
      ask('GET /operator/v1/orders', { query: { ...query, open: true } }),
      ask('GET /operator/v1/webhook-endpoints', { query }),
    ]);
    return {
      subject: user.name,
      consequences: [
        texts.deactivateHint,
        [texts.openOrders, orders.pagination.total_items],
        [texts.endpointsEnd, endpoints.pagination.total_items],
        texts.deactivateBack,
      ],
      name: user.email,
      hidden: { version },
    };
  },
});
