import { capitalized } from '../typescript/text.js';
import { json, literal, php as phpNotation } from './literals.js';
import { addressOf, fileOf, type SampleRequest } from './requests.js';

/** Writes samples for languages without a client package: they send the request themselves. */

/** The headers of a request, without the one that authenticates. */
const headersOf = ({ bodies, takesKey }: SampleRequest): string[] => [
  ...(bodies.length > 0 ? ['Content-Type: application/json'] : []),
  ...(takesKey ? ['Idempotency-Key: a-key-of-your-own'] : []),
];

const usualMethods: readonly string[] = ['GET', 'POST'];

export function curl(request: SampleRequest): string {
  const file = fileOf(request);
  const { method, bodies, isPublic, body } = request;
  // Without -X, curl sends GET, or POST if there is a body.
  const isImplied = method === (bodies.length > 0 ? 'POST' : 'GET');
  const words = [
    `curl ${isImplied ? '' : `-X ${method} `}"$MALOTE_URL${addressOf(request)}"`,
    ...(isPublic ? [] : ['-H "Authorization: Bearer $MALOTE_TOKEN"']),
    ...headersOf(request).map((header) => `-H '${header}'`),
    ...(bodies.length > 0 ? [`-d '${literal(body, json).replaceAll("'", `'\\''`)}'`] : []),
    ...(file === undefined ? [] : [`-o ${file}`]),
  ];
  return words.join(' \\\n  ');
}

export function php(request: SampleRequest): string {
  const file = fileOf(request);
  const { method, bodies, isPublic, body } = request;
  const headers = [
    ...(isPublic ? [] : [`'Authorization: Bearer ' . getenv('MALOTE_TOKEN')`]),
    ...headersOf(request).map((header) => `'${header}'`),
  ];
  const options = [
    'CURLOPT_RETURNTRANSFER => true',
    ...(usualMethods.includes(method) ? [] : [`CURLOPT_CUSTOMREQUEST => '${method}'`]),
    // A POST without a body also says that its length is 0.
    ...(method === 'POST' && bodies.length === 0 ? [`CURLOPT_POSTFIELDS => ''`] : []),
    ...(headers.length > 0 ? [`CURLOPT_HTTPHEADER => [\n        ${headers.join(',\n        ')},\n    ]`] : []),
    ...(bodies.length > 0 ? [`CURLOPT_POSTFIELDS => json_encode(${literal(body, phpNotation, '    ')})`] : []),
  ];
  return `<?php
$request = curl_init(getenv('MALOTE_URL') . '${addressOf(request)}');
curl_setopt_array($request, [
${options.map((option) => `    ${option},\n`).join('')}]);
$answer = curl_exec($request);
echo curl_getinfo($request, CURLINFO_RESPONSE_CODE), PHP_EOL;
${file === undefined ? 'echo $answer, PHP_EOL;' : `file_put_contents('${file}', $answer);`}`;
}

export function java(request: SampleRequest): string {
  const file = fileOf(request);
  const { id, method, bodies, isPublic, body } = request;
  const headers = headersOf(request).map((header) =>
    header
      .split(': ')
      .map((part) => `"${part}"`)
      .join(', '),
  );
  const calls = [
    ...(isPublic ? [] : [`header("Authorization", "Bearer " + System.getenv("MALOTE_TOKEN"))`]),
    ...headers.map((header) => `header(${header})`),
    `method("${method}", ${bodies.length > 0 ? `BodyPublishers.ofString(${textBlock(body)})` : 'BodyPublishers.noBody()'})`,
    'build()',
  ];
  const handler = file === undefined ? 'ofString()' : `ofFile(Path.of("${file}"))`;
  return `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
${file === undefined ? '' : 'import java.nio.file.Path;\n'}
public class ${capitalized(id)} {
  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(System.getenv("MALOTE_URL") + "${addressOf(request)}"))
${calls.map((call) => `      .${call}`).join('\n')};
    var answer = HttpClient.newHttpClient().send(request, BodyHandlers.${handler});
    System.out.println(answer.statusCode());
    System.out.println(answer.body());
  }
}`;
}

/** Writes a body as a text block of Java. */
function textBlock(body: unknown): string {
  const margin = ' '.repeat(8);
  return `"""\n${margin}${literal(body, json, margin).replaceAll('\\', '\\\\')}"""`;
}
