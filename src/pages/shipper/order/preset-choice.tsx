import { Choice } from '../../design/forms.js';
import { type Text, presetTexts as texts } from '../../texts.js';
import { type RestSchemas, useVisit, type Visit } from '../../visit.js';

// Offers saved pickups and boxes in a form. In the form of a new order, a button fills in the chosen ones.

export const SAVED_PICKUP = 'saved_pickup';
export const savedBox = (at: number): string => `saved_box.${at}`;

type Presets = RestSchemas['Presets'];

interface ChoiceProps {
  name: string;
  label: Text;
  presets: readonly { name: string }[];
}

function PresetSelect({ name, label, presets }: ChoiceProps) {
  const options = presets.map((preset, at) => [String(at), preset.name] as const);
  return <Choice {...{ name, label }} value={useVisit().form.text(name)} options={[['', texts.none], ...options]} />;
}

/** A choice of saved pickups, which is sent with the form. Shows nothing if none is saved. */
export const PickupChoice = ({ presets }: Pick<ChoiceProps, 'presets'>) =>
  presets.length === 0 ? null : <PresetSelect name={SAVED_PICKUP} label={texts.pickup} presets={presets} />;

/** A choice of saved pickups or boxes, with a button that fills in the chosen one. Shows nothing if none is saved. */
export function PresetChoice(props: ChoiceProps) {
  const { say } = useVisit();
  if (props.presets.length === 0) return null;
  return (
    <div class="preset">
      <PresetSelect {...props} />
      <button type="submit" class="secondary" name="next" value="use" formNoValidate>
        {say(texts.use)}
      </button>
    </div>
  );
}

const chosen = <Preset,>(presets: readonly Preset[], index: string): Preset | undefined =>
  index === '' ? undefined : presets[Number(index)];

/** The texts of the form, with the chosen pickup and boxes filled in. */
export async function withPresets({ ask, form }: Visit): Promise<(path: string) => string> {
  const { pickups, boxes } = await ask('GET /api/v1/presets');
  const pickup = pickupTexts(chosen(pickups, form.text(SAVED_PICKUP)));
  return (path) => pickup[path] ?? sideOf(path, (at) => chosen(boxes, form.text(savedBox(at)))) ?? form.text(path);
}

/** The fields of the chosen saved pickup. Empty without a choice. */
export async function savedPickup({ ask, form }: Visit): Promise<Readonly<Record<string, string>>> {
  if (form.text(SAVED_PICKUP) === '') return {};
  return pickupTexts(chosen((await ask('GET /api/v1/presets')).pickups, form.text(SAVED_PICKUP)));
}

type Pickup = Pick<Presets['pickups'][number], 'address' | 'sender'>;

/** The form fields of a pickup. Its empty fields replace typed texts, too. */
function pickupTexts(pickup: Pickup | undefined): Readonly<Record<string, string>> {
  if (!pickup) return {};
  const { address, sender } = pickup;
  return {
    'pickups.0.address.postal_code': '',
    'pickups.0.address.address': address.address,
    'pickups.0.address.complement': address.complement ?? '',
    'pickups.0.sender.name': sender?.name ?? '',
    'pickups.0.sender.phone': sender?.phone ?? '',
  };
}

const SIDE = /^packages\.(\d+)\.dimensions\.(width|height|length)$/;

function sideOf(path: string, boxAt: (index: number) => Presets['boxes'][number] | undefined): string | undefined {
  const [, at, side] = SIDE.exec(path) ?? [];
  const box = at === undefined ? undefined : boxAt(Number(at));
  return box && side && sideTexts(box)[side];
}

type Sides = Record<'width' | 'height' | 'length', number>;

/** The sides as texts of the form, by name. */
const sideTexts = ({ width, height, length }: Sides): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({ width, height, length }).map(([side, number]) => [side, String(number).replace('.', ',')]),
  );

/** The first texts of a new order's form: pickup and box of the last order, else the first saved ones. */
export async function rememberedTexts({ ask, askIfAny }: Visit): Promise<Readonly<Record<string, string>>> {
  const [presets, { data }] = await Promise.all([
    ask('GET /api/v1/presets'),
    ask('GET /api/v1/orders', { query: { page_size: 1 } }),
  ]);
  const [newest] = data;
  const last = newest && (await askIfAny('GET /api/v1/orders/{id}', { path: { id: newest.id } }));
  const box = last?.packages[0]?.dimensions ?? presets.boxes[0];
  const sides = Object.entries(box ? sideTexts(box) : {});
  return {
    ...pickupTexts(last?.pickups[0] ?? presets.pickups[0]),
    ...Object.fromEntries(sides.map(([side, text]) => [`packages.0.dimensions.${side}`, text])),
  };
}
