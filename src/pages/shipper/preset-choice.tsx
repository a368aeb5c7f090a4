import { Choice } from '../design/forms.js';
import { type Text, presetTexts as texts } from '../texts.js';
import { type RestSchemas, useVisit, type Visit } from '../visit.js';

// Saved pickups and boxes in a form. In that of a new order a button fills in those that are chosen.

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

/** The choice of a saved pickup, which the form is sent with. Left out without any. */
export const PickupChoice = ({ presets }: Pick<ChoiceProps, 'presets'>) =>
  presets.length === 0 ? null : <PresetSelect name={SAVED_PICKUP} label={texts.pickup} presets={presets} />;

/** Left out without any. */
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

/** The texts of the form; the chosen pickup and boxes replace typed ones. */
export async function withPresets({ ask, form }: Visit): Promise<(path: string) => string> {
  const { pickups, boxes } = await ask('GET /api/v1/presets');
  const pickup = pickupTexts(chosen(pickups, form.text(SAVED_PICKUP)));
  return (path) => pickup[path] ?? sideOf(path, (at) => chosen(boxes, form.text(savedBox(at)))) ?? form.text(path);
}

/** Fields of the saved pickup that the form was sent with; none without a choice. */
export async function savedPickup({ ask, form }: Visit): Promise<Readonly<Record<string, string>>> {
  if (form.text(SAVED_PICKUP) === '') return {};
  return pickupTexts(chosen((await ask('GET /api/v1/presets')).pickups, form.text(SAVED_PICKUP)));
}

/** Fields of the pickup; an empty one replaces a typed text, too. */
function pickupTexts(pickup: Presets['pickups'][number] | undefined): Readonly<Record<string, string>> {
  if (!pickup) return {};
  const { address, sender } = pickup;
  return {
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
  if (!box) return undefined;
  const sides: Readonly<Record<string, number>> = { width: box.width, height: box.height, length: box.length };
  return side === undefined ? undefined : sides[side]?.toString().replace('.', ',');
}
