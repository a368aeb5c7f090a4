/** Colours as `#rrggbb`, in lower case, and their contrast as WCAG 2.2 computes it. */

type Channels = readonly [red: number, green: number, blue: number];

const channelsOf = (colour: string): Channels => {
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

const colourOf = (channels: Channels): string =>
  `#${channels.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;

function luminanceOf(colour: string): number {
  const [red, green, blue] = channelsOf(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

/** The contrast of two colours: from 1 for equal ones to 21 for black and white. */
export function contrastOf(one: string, other: string): number {
  const [brighter = 0, darker = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (brighter + 0.05) / (darker + 0.05);
}

/** Mixes a share of another colour, from 0 to 1, into a colour. */
function mixed(colour: string, other: string, share: number): string {
  const [[r1, g1, b1], [r2, g2, b2]] = [channelsOf(colour), channelsOf(other)];
  const mix = (from: number, to: number) => from + (to - from) * share;
  return colourOf([mix(r1, r2), mix(g1, g2), mix(b1, b2)]);
}

/** A theme of the pages: its backgrounds, as in design.css, and the colour that contrasts with them. */
interface Theme {
  grounds: readonly string[];
  away: string;
}

export const themes = {
  light: { grounds: ['#ffffff', '#f7f8fa'], away: '#000000' },
  dark: { grounds: ['#0f1217', '#171b22'], away: '#ffffff' },
} as const satisfies Readonly<Record<string, Theme>>;

/** Least contrast of text in WCAG AA. */
const LEAST_CONTRAST = 4.5;
const STEPS = 100;

/** The colour or, if its contrast is too small, the nearest one that is legible on all backgrounds of the theme. */
function legibleOn({ grounds, away }: Theme, colour: string): string {
  const isLegible = (mix: string) => grounds.every((ground) => contrastOf(mix, ground) >= LEAST_CONTRAST);
  const shares = Array.from({ length: STEPS }, (_, step) => step / STEPS);
  return shares.map((share) => mixed(colour, away, share)).find(isLegible) ?? away;
}

/** The colours that the themes show for a colour. */
export const shownColours = (colour: string) => ({
  light: legibleOn(themes.light, colour),
  dark: legibleOn(themes.dark, colour),
});

/** A colour with a little more contrast, for a link under the pointer. */
export const strongerIn = (name: keyof typeof themes, colour: string): string => mixed(colour, themes[name].away, 0.25);
