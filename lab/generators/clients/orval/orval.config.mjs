const { CONTRACT, DOCUMENT, MALOTE_URL } = process.env;

export default {
  client: {
    input: DOCUMENT,
    output: { target: `${CONTRACT}/client.ts`, client: 'fetch', baseUrl: MALOTE_URL },
  },
};
