import {
  command,
  oneOf,
  option,
  type PageOptions,
  pageOptions,
  pageQuery,
  required,
  whole,
  wholeNumber,
} from '../../command.js';
import { bodyOf } from '../client.js';

const stages = ['created', 'processing', 'out_for_delivery', 'completed', 'cancelled'] as const;
const requirements = ['action_required', 'pickup_agency'] as const;

interface NewStatus {
  code: number;
  name: string;
  description: string;
  stage: (typeof stages)[number];
  requires?: (typeof requirements)[number];
  final?: boolean;
}

export const packageStatuses = {
  listPackageStatuses: command<PageOptions>({
    usage: 'statuses list',
    summary: 'List the catalogue of package statuses.',
    example: 'statuses list',
    options: pageOptions,
    run: async ({ operator, print }, options) => {
      const call = operator.GET('/operator/v1/package-statuses', { params: { query: pageQuery(options) } });
      print.list(await bodyOf(call), {
        code: (status) => status.code,
        name: (status) => status.high_level_status,
        description: (status) => status.description,
        requires: (status) => status.requirement,
        final: (status) => status.final,
        'order becomes': (status) => status.stage,
      });
    },
  }),

  getPackageStatus: command({
    usage: 'statuses show <code>',
    summary: 'Show a package status.',
    example: 'statuses show 10',
    run: async ({ operator, print }, _options, code) => {
      const params = { path: { code: wholeNumber(code) } };
      print.record(await bodyOf(operator.GET('/operator/v1/package-statuses/{code}', { params })));
    },
  }),

  addPackageStatus: command<NewStatus>({
    usage: 'statuses add',
    summary: 'Add a code to the catalogue.',
    example:
      "statuses add --code 19 --name 'Retido na alfândega' --description 'Aguarda a alfândega.' --stage processing",
    options: [
      required(whole('--code <number>', 'the new code')),
      required(option('--name <name>', 'readable general status')),
      required(option('--description <text>', 'short description')),
      required(oneOf('--stage <status>', 'what it means for the order', stages)),
      oneOf('--requires <part>', 'what a movement to it must carry', requirements),
      option('--final', "the package's way ends here, which follows from --stage"),
    ],
    run: async ({ operator, print }, { name, requires, ...rest }) => {
      const body = { ...rest, high_level_status: name, ...(requires && { requirement: requires }) };
      print.record(await bodyOf(operator.POST('/operator/v1/package-statuses', { body })));
    },
  }),
};
