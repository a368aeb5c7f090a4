const { DOCUMENT } = process.env;

export default {
  schema: DOCUMENT,
  documents: ['operations.ts'],
  generates: { './B/': { preset: 'client', presetConfig: { fragmentMasking: false } } },
};
