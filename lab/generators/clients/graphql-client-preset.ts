import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { graphql } from './B/index.js';
import { env } from './env.js';

const login = graphql(`
  mutation Login($email: String!, $password: String!) {
    login(input: { email: $email, password: $password }) {
      user {
        apiKey
      }
    }
  }
`);

const orders = graphql(`
  query Orders($first: Int!) {
    orders(first: $first) {
      edges {
        node {
          pk
          packages {
            trackingCode
            status {
              code
            }
          }
        }
      }
    }
  }
`);

async function ask<Answer, Variables>(
  document: TypedDocumentNode<Answer, Variables>,
  variables: Variables,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(`${env('MALOTE_URL')}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ query: print(document), variables }),
  });
  const { data, errors } = await answer.json();
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

const email = env('MALOTE_EMAIL');
const { user } = (await ask(login, { email, password: env('MALOTE_PASSWORD') })).login;
if (!user) throw new Error('the login did not come out as it should');
const list = await ask(orders, { first: 2 }, { Authorization: `ApiKey ${email}:${user.apiKey}` });
if (!Array.isArray(list.orders.edges)) throw new Error('the list of orders did not come out as it should');
