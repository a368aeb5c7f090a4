import { measure } from '../amounts.js';
import { Field, PostForm } from '../design/forms.js';
import { Page } from '../design/frame.js';
import { Addition, type Column, TableSection } from '../design/tables.js';
import type { BodyOf } from '../operations.js';
import { addressText, senderText } from '../shared/words.js';
import { shipperFields as labels, presetTexts as texts } from '../texts.js';
import type { RestSchemas, Visit } from '../visit.js';
import { NumberText } from '../written.js';

// Lets an account save pickups and boxes under names. Each change sends both lists, with the version that was shown.

const PAGE = '/envios/presets';
const pickupsPage = `${PAGE}/pickups`;
const boxesPage = `${PAGE}/boxes`;
const CHANGE = 'PUT /api/v1/presets';

type Presets = RestSchemas['Presets'];
type Lists = BodyOf<typeof CHANGE>;
type List = 'pickups' | 'boxes';

export async function showPresets(visit: Visit) {
  const { data, version } = await visit.askVersion('GET /api/v1/presets');
  const isViewer = visit.session.member?.role === 'viewer';
  const hidden = { version };
  const removal = (list: List) => (isViewer ? [] : [removalColumn(list, version)]);
  return (
    <Page title={texts.presets}>
      <p>{visit.say(texts.hint)}</p>
      <TableSection
        caption={texts.pickups}
        columns={[...pickupColumns, ...removal('pickups')]}
        rows={numbered(data.pickups)}
        empty={texts.noPickups}
      />
      <TableSection
        caption={texts.boxes}
        columns={[...boxColumns, ...removal('boxes')]}
        rows={numbered(data.boxes)}
        empty={texts.noBoxes}
      />
      {!isViewer && [
        <Addition action={pickupsPage} operation={CHANGE} submit={texts.addPickup} hidden={hidden}>
          <Field name="pickup_name" label={texts.name} isRequired maxLength={255} />
          <Field name="address" label={texts.address} isRequired maxLength={255} />
          <Field name="complement" label={texts.complement} maxLength={255} />
          <Field name="sender.name" label={labels['pickups.0.sender.name']} maxLength={255} />
          <Field name="sender.phone" type="tel" label={labels['pickups.0.sender.phone']} maxLength={26} />
        </Addition>,
        <Addition action={boxesPage} operation={CHANGE} submit={texts.addBox} hidden={hidden}>
          <Field name="box_name" label={texts.name} isRequired maxLength={255} />
          {sides.map((side) => (
            <Field name={side} label={labels[`dimensions.${side}`]} isRequired inputMode="decimal" maxLength={10} />
          ))}
        </Addition>,
      ]}
    </Page>
  );
}

const sides = ['width', 'height', 'length'] as const;

const numbered = <Preset extends object>(presets: readonly Preset[]) => presets.map((each, at) => ({ ...each, at }));

const pickupColumns: readonly Column<Presets['pickups'][number]>[] = [
  [texts.name, ({ name }) => name],
  [texts.address, ({ address }) => addressText(address)],
  [texts.sender, ({ sender }) => senderText(sender)],
];

const boxColumns: readonly Column<Presets['boxes'][number]>[] = [
  [texts.name, ({ name }) => name],
  ...sides.map(
    (side): Column<Presets['boxes'][number]> => [
      labels[`dimensions.${side}`],
      (box) => <NumberText of={box[side]} />,
      'number',
    ],
  ),
];

const removalColumn = (list: List, version: string): Column<{ name: string; at: number }> => [
  texts.actions,
  ({ name, at }) => (
    <PostForm
      action={`${PAGE}/${list}/removal`}
      operation={CHANGE}
      submit={{ 'pt-BR': `${texts.remove['pt-BR']} ${name}`, en: `${texts.remove.en} ${name}` }}
      kind="secondary"
      hidden={{ version, at: String(at) }}
    />
  ),
];

/** Changes the lists, and sends both with the version that the form showed. */
async function change(visit: Visit, changed: (lists: Lists) => Lists): Promise<string> {
  const body = changed(await visit.ask('GET /api/v1/presets'));
  await visit.ask(CHANGE, { headers: { 'if-match': visit.form.text('version') }, body });
  return `${PAGE}?done=saved`;
}

export const addPickup = (visit: Visit) => {
  const textOf = (name: string) => visit.form.text(name).trim();
  const [name, phone] = [textOf('sender.name'), textOf('sender.phone')];
  const pickup = {
    name: textOf('pickup_name'),
    address: { address: textOf('address'), complement: textOf('complement') || undefined },
    // With only a phone, the contract refuses the missing name.
    sender: name + phone === '' ? undefined : { name, phone: phone || undefined },
  };
  return change(visit, ({ pickups, boxes }) => ({ boxes, pickups: [...pickups, pickup] }));
};

export const addBox = (visit: Visit) => {
  const [width = 0, height = 0, length = 0] = sides.map((side) => measure(visit.form.text(side)));
  const box = { name: visit.form.text('box_name').trim(), width, height, length };
  return change(visit, ({ pickups, boxes }) => ({ pickups, boxes: [...boxes, box] }));
};

const removing = (list: List) => (visit: Visit) =>
  change(visit, (lists) => {
    const at = Number(visit.form.text('at'));
    return { ...lists, [list]: lists[list].filter((_, index) => index !== at) };
  });

export const removePickup = removing('pickups');
export const removeBox = removing('boxes');
