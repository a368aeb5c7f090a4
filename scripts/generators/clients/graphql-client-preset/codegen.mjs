const { DOCUMENT } = process.env;

export default {
  schema: DOCUMENT,
  documents: ['drive.ts'],
  generates: { './B/': { preset: 'client', presetConfig: { fragmentMasking: false } } },
};
