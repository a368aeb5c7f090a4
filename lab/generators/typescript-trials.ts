import { typescript } from './steps.js';
import { about, type Trial } from './trial.js';

export const typescriptTrials: readonly Trial[] = [
  {
    ...about('openapi-fetch', 'openapi-typescript and openapi-fetch', '7.13.0', 'TypeScript'),
    note: 'bytes are texts in its types: send them by `bodySerializer`, read them with `parseAs`',
    steps: {
      ...typescript('openapi-fetch.ts', '"openapi-typescript@$VERSION" openapi-fetch@0.17.0 typescript@5.9.3'),
      generate:
        'mkdir -p "$CONTRACT" && node_modules/.bin/openapi-typescript "$DOCUMENT" --output "$CONTRACT/schema.d.ts"',
    },
  },
];
