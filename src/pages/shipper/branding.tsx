import { themes } from '../../base/colours.js';
import { Field, PostForm } from '../design/forms.js';
import { SplitPage } from '../design/frame.js';
import { Card } from '../design/pieces.js';
import { RefusalError } from '../operations.js';
import { picture } from '../shared/files.js';
import { type Text, brandTexts as texts } from '../texts.js';
import { calling, type RestSchemas, useVisit, type Visit } from '../visit.js';
import { isOwner } from './members.js';

// Shows the logo and the colour of the tracking page. Owners can change them.

const PAGE = '/envios/branding';
const COLOUR = 'PUT /api/v1/branding';
const logoPage = `${PAGE}/logo`;
const LOGO = 'PUT /api/v1/branding/logo';
const NO_LOGO = 'DELETE /api/v1/branding/logo';

type Branding = RestSchemas['Branding'];

export async function showBranding(visit: Visit) {
  const branding = await visit.ask('GET /api/v1/branding');
  const { color, logo } = branding;
  const side = isOwner(visit) && [
    <Card title={texts.color}>
      <PostForm action={PAGE} operation={COLOUR} submit={texts.save}>
        <Field name="color" label={texts.color} value={color ?? ''} hint={texts.colorHint} maxLength={7} />
      </PostForm>
    </Card>,
    <Card title={texts.logo}>
      <PostForm action={logoPage} operation={LOGO} submit={texts.sendLogo} enctype="multipart/form-data">
        <Field
          name="file"
          type="file"
          label={texts.file}
          hint={texts.logoHint}
          accept="image/png,image/jpeg,image/webp"
          isRequired
        />
      </PostForm>
      {logo && <PostForm action={`${logoPage}/removal`} operation={NO_LOGO} submit={texts.removeLogo} kind="danger" />}
    </Card>,
  ];
  return (
    <SplitPage title={texts.branding} side={side}>
      <p>{visit.say(texts.hint)}</p>
      {logo ? <img class="logo" src={logoPage} alt={visit.say(texts.logo)} /> : <p>{visit.say(texts.noLogo)}</p>}
      <Swatches {...branding} />
    </SplitPage>
  );
}

/** Shows the colour as a link in the light and in the dark theme. */
function Swatches({ light_color: light, dark_color: dark }: Branding) {
  const { say } = useVisit();
  if (light === undefined || dark === undefined) return <p>{say(texts.noColor)}</p>;
  const shown = [
    [texts.inLight, light, themes.light],
    [texts.inDark, dark, themes.dark],
  ] as const;
  return (
    <div class="swatches">
      {shown.map(([name, colour, theme]) => (
        <Swatch {...{ name, colour }} ground={theme.grounds[0]} />
      ))}
    </div>
  );
}

/** A sample drawn as SVG: the page's security policy forbids style attributes. */
function Swatch({ name, colour, ground }: { name: Text; colour: string; ground: string }) {
  const { say } = useVisit();
  return (
    <figure>
      <svg width="176" height="64" role="img" aria-label={`${say(name)}: ${colour}`}>
        <rect width="176" height="64" rx="8" fill={ground} stroke={colour} />
        <text x="16" y="40" fill={colour} font-size="20">
          {colour}
        </text>
      </svg>
      <figcaption class="hint">{say(name)}</figcaption>
    </figure>
  );
}

export const setColour = calling(COLOUR, PAGE, 'saved', ({ form }) => ({ color: form.text('color').trim() }));

export async function storeLogo(visit: Visit): Promise<string> {
  const { file } = visit.form;
  if (!file || file.bytes.length === 0) throw noFile();
  await visit.send(LOGO, { file: file.bytes });
  return `${PAGE}?done=saved`;
}

function noFile(): RefusalError {
  const details = [{ field: 'file', code: 'required' as const, message: 'Choose a file.' }];
  return new RefusalError('VALIDATION_ERROR', 'invalid_fields', 'There is no file.', { details });
}

export const removeLogo = calling(NO_LOGO, PAGE);

export const logo = picture('GET /api/v1/branding/logo');
