import { operation, table } from '../operation.js';

export const packageStatuses = {
  listPackageStatuses: operation('listPackageStatuses', 'statuses list', {
    summary: 'List the catalogue of package statuses.',
    show: table([
      'code',
      'high_level_status as name',
      'description',
      'requirement as requires',
      'final',
      'stage as order becomes',
    ]),
  }),
  getPackageStatus: operation('getPackageStatus', 'statuses show <code>', { summary: 'Show a package status.' }),
  addPackageStatus: operation('addPackageStatus', 'statuses add', {
    summary: 'Add a code to the catalogue.',
    example: "--code 19 --name 'Retido na alfândega' --description 'Aguarda a alfândega.' --stage processing",
    options: {
      code: ['--code <number>', 'the new code'],
      high_level_status: ['--name <name>', 'readable general status'],
      description: ['--description <text>', 'short description'],
      stage: ['--stage <status>', 'what it means for the order'],
      requirement: ['--requires <part>', 'what a movement to it must carry'],
      final: ['--final', "the package's way ends here, which follows from --stage"],
    },
  }),
};
