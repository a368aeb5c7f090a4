import { describe, expect, test } from '@jest/globals';
import { auditVerdict, isAllowed, licenceFaults, shippedPackages } from '../../scripts/dependencies.js';

describe('licences', () => {
  const others = [
    'GPL-3.0',
    'AGPL-3.0-only',
    'MIT AND GPL-2.0',
    'SEE LICENSE IN LICENSE',
    'UNLICENSED',
    'undefined',
    '',
  ];
  test.each([
    ['may be used', true, ['MIT', '(MIT OR CC0-1.0)', 'MIT OR GPL-3.0', 'Apache-2.0 AND MIT', '0BSD']],
    ['may not', false, others],
  ])('some %s', (_what, expected, licences) => {
    for (const licence of licences) expect([licence, isAllowed(licence)]).toEqual([licence, expected]);
  });

  test('are checked for each package of the lock file, even for nested ones', () => {
    const packages = {
      '': { license: 'MIT' },
      'node_modules/good': { license: 'ISC' },
      'node_modules/good/node_modules/@scope/bad': { license: 'GPL-3.0' },
      'node_modules/silent': {},
      'node_modules/data': { license: 'CC-BY-4.0' },
      'node_modules/@parts/one': { license: 'LGPL-3.0' },
    };
    const reviewed = { data: 'data, credited', '@parts/*': 'as it is', gone: 'no longer here' };
    expect(licenceFaults(packages, reviewed)).toEqual([
      '@scope/bad: its licence, GPL-3.0, is not on the list',
      'silent: its licence, not named, is not on the list',
      'gone: is on the list of reviewed licences, but is not used any more',
    ]);
  });
});

test('development packages in the build are shipped with all of their dependencies', () => {
  const packages = {
    '': {},
    'node_modules/runs': {},
    'node_modules/large': { dev: true, dependencies: { part: '1' } },
    'node_modules/large/node_modules/part': { dev: true, dependencies: { large: '1', deep: '1' } },
    'node_modules/deep': { dev: true },
    'node_modules/tool': { dev: true },
  };
  expect([...shippedPackages(packages, ['large'])].sort()).toEqual(['deep', 'large', 'part', 'runs']);
});

describe('known vulnerabilities', () => {
  const shipped = new Set(['left']);
  const report = (severity: string) =>
    JSON.stringify({ auditReportVersion: 2, vulnerabilities: { left: { name: 'left', severity } } });

  test('of high severity or more are named', () => {
    for (const severity of ['high', 'critical'])
      expect(auditVerdict(report(severity), shipped)).toEqual({ holes: [`left: ${severity}`] });
    expect(auditVerdict(report('moderate'), shipped)).toEqual({ holes: [] });
    expect(auditVerdict(report('high'), new Set())).toEqual({ holes: [] });
  });

  test.each([
    ['{"message":"405 Method Not Allowed","error":{}}', '405 Method Not Allowed'],
    ['', 'npm audit printed no report'],
    ['<html>', 'npm audit printed no report'],
  ])('a registry that does not answer is recognised: %s', (printed, unanswered) => {
    expect(auditVerdict(printed, shipped)).toEqual({ unanswered });
  });
});
