import type { ComponentChildren, VNode } from 'preact';
import { Choice, Field, PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { shipperFields as labels, packageTexts, presetTexts, type Text, shipperTexts as texts } from '../../texts.js';
import { type RestSchemas, useVisit, type Visit } from '../../visit.js';
import { DeliveryLine, PickupLine } from '../coverage.js';
import { type OrderField, packageFields } from '../fields.js';
import { countOf, indexes, MAX_PACKAGES, ownerField, PATH, PICKUP_CODE, packageCode } from './draft.js';
import { type Places, parcelsOf, placesOf } from './places.js';
import { PresetChoice, SAVED_PICKUP, savedBox } from './preset-choice.js';
import { Prices, quotedFor } from './quote.js';

const ESTIMATE = 'POST /api/v1/estimates';

/** Shows the form of a new order with the typed texts, and what the order costs so far. */
export async function showForm(visit: Visit): Promise<VNode> {
  const { say, ask } = visit;
  const count = countOf(visit);
  const { from, parcels } = parcelsOf(visit);
  const [presets, places, quoted] = await Promise.all([
    ask('GET /api/v1/presets'),
    placesOf(visit),
    quotedFor(visit, from, parcels),
  ]);
  const hidden = { count: String(count), ...ownerField(visit) };
  return (
    <Page title={texts.newOrder} scripts={['new-order.js']}>
      <PostForm action={PATH} operation={ESTIMATE} submit={texts.quote} hidden={hidden} hasButtons>
        <p class="hint">{say(texts.requiredHint)}</p>
        <Pickup {...{ presets, places }} />
        {indexes(count).map((at) => (
          <Parcel {...{ presets, places, at, count }} />
        ))}
        {count < MAX_PACKAGES && (
          <p>
            <button type="submit" class="secondary" name="next" value="add" formNoValidate>
              {say(texts.addPackage)}
            </button>
          </p>
        )}
        <section class="card" aria-labelledby="price">
          <h2 id="price">{say(texts.priceAndDate)}</h2>
          <Prices quoted={quoted} />
          <button type="submit" class="secondary" name="next" value="price" formNoValidate>
            {say(texts.seePrice)}
          </button>
        </section>
      </PostForm>
    </Page>
  );
}

interface PartProps {
  presets: RestSchemas['Presets'];
  places: Places;
}

/** The fields of the pickup. They are closed if the pickup is known already. */
function Pickup({ presets, places }: PartProps) {
  const { say, form } = useVisit();
  const address = form.text('pickups.0.address.address');
  return (
    <section class="card" aria-labelledby="sender">
      <h2 id="sender">{say(labels.sender)}</h2>
      <Folded
        summary={address === '' ? say(texts.pickupAddress) : address}
        names={['pickups.0.address.address', PICKUP_CODE, 'pickups.0.sender.name', 'pickups.0.sender.phone']}
        isOpen={address === ''}
      >
        <PresetChoice name={SAVED_PICKUP} label={presetTexts.pickup} presets={presets.pickups} />
        <PostalCode name={PICKUP_CODE} label={texts.fromPostalCode}>
          <PickupLine coverage={places.pickup} />
        </PostalCode>
        <Typed path="pickups.0.address.address" label={texts.streetAndNumber} isRequired />
        <Typed path="pickups.0.address.complement" label={labels['address.complement']} />
        <Typed path="pickups.0.sender.name" label={labels['pickups.0.sender.name']} />
        <Typed path="pickups.0.sender.phone" label={labels['pickups.0.sender.phone']} />
      </Folded>
      <Folded summary={say(texts.moreOfOrder)} names={['external_id', 'ready_at']}>
        <Typed path="external_id" label={labels.external_id} />
        <Typed path="ready_at" label={labels.ready_at} type="datetime-local" hint={packageTexts.atHint} />
      </Folded>
    </section>
  );
}

/** Fields of a package that are always visible, in order. The others are closed at first. */
const sizes = ['dimensions.width', 'dimensions.height', 'dimensions.length', 'dimensions.weight'];
const receiving = ['address.complement', 'recipient.name', 'recipient.phone'];

const named = (paths: readonly string[]) =>
  paths.flatMap((path) => packageFields.filter((field) => field.path === path));
const folded = packageFields.filter(({ path }) => ![...sizes, ...receiving, 'address.address'].includes(path));

function Parcel({ presets, places, at, count }: PartProps & { at: number; count: number }) {
  const { say } = useVisit();
  const title = `${say(texts.package)} ${at + 1}`;
  const nameOf = ({ path }: OrderField) => `packages.${at}.${path}`;
  const shown = (fields: readonly OrderField[]) => fields.map((field) => <Typed {...field} path={nameOf(field)} />);
  return (
    <section class="card" aria-labelledby={`package-${at}`}>
      <h2 id={`package-${at}`}>{title}</h2>
      <div class="fields">
        <PostalCode name={packageCode(at)} label={texts.toPostalCode}>
          <DeliveryLine coverage={places.deliveries[at]} />
        </PostalCode>
      </div>
      <div class="fields sizes">
        <PresetChoice name={savedBox(at)} label={presetTexts.box} presets={presets.boxes} />
        {shown(named(sizes))}
      </div>
      <div class="fields">
        <Typed path={`packages.${at}.address.address`} label={texts.streetAndNumber} isRequired />
        {shown(named(receiving))}
      </div>
      <Folded summary={say(texts.moreOfPackage)} names={folded.map(nameOf)}>
        {shown(folded)}
      </Folded>
      {count > 1 && (
        <p>
          <button type="submit" class="secondary" name="remove" value={String(at)} formNoValidate>
            {`${say(texts.removePackage)} ${at + 1}`}
          </button>
        </p>
      )}
    </section>
  );
}

interface FoldedProps {
  summary: string;
  /** Names of its fields. The part opens if one of them is wrong. */
  names: readonly string[];
  isOpen?: boolean;
  children: ComponentChildren;
}

/** Fields that most orders do not need. They are closed unless one of them is wrong. */
function Folded({ summary, names, isOpen = false, children }: FoldedProps) {
  const { refusal } = useVisit();
  const isWrong = refusal?.details.some(({ field }) => names.includes(field));
  return (
    <details open={isOpen || isWrong}>
      <summary>{summary}</summary>
      <div class="fields">{children}</div>
    </details>
  );
}

/** The CEP field comes first. The line under it shows city and coverage. */
function PostalCode({ name, label, children }: { name: string; label: Text; children: ComponentChildren }) {
  return (
    <div class="postal-code">
      <Field {...{ name, label }} value={useVisit().form.text(name)} inputMode="numeric" maxLength={20} />
      {children}
    </div>
  );
}

const yesOrNo = Object.entries({ '': texts.no, sim: texts.yes });

type TypedProps = Pick<OrderField, 'path' | 'label' | 'isRequired' | 'inputMode' | 'isFlag' | 'type'> & { hint?: Text };

/** A field with its typed text. */
function Typed({ path: name, label, isRequired = false, inputMode, isFlag, type = 'text', hint }: TypedProps) {
  const value = useVisit().form.text(name);
  if (isFlag) return <Choice {...{ name, label, value }} options={yesOrNo} />;
  const length = type === 'text' && { maxLength: 255 };
  return <Field {...{ name, label, type, value, isRequired, hint }} {...(inputMode && { inputMode })} {...length} />;
}
