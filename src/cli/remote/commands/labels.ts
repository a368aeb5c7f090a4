import { writeFile } from 'node:fs/promises';
import { type LabelFormat, type LabelLayout, labelFormats, labelLayouts } from '../../../labels/label.js';
import { command, oneOf, option, required } from '../../command.js';
import { wrongUsage } from '../../errors.js';
import { bodyOf, type RestClient } from '../client.js';

interface LabelOptions {
  order?: string;
  package?: string;
  output: string;
  format?: LabelFormat;
  layout?: LabelLayout;
}

export const labels = command<LabelOptions>({
  usage: 'labels',
  summary: 'Write the labels of an order, or of one package, to a file.',
  example: 'labels --order pedido-1042 --layout a4 --output labels.pdf',
  options: [
    option('--order <order>', 'order whose packages are labelled'),
    option('--package <package>', 'package that is labelled'),
    required(option('--output <file>', 'file to write; - is standard output')),
    oneOf('--format <format>', 'pdf for all printers, zpl for label printers of 203 dpi (default: pdf)', labelFormats),
    oneOf('--layout <layout>', 'one label a page, or four on A4 (default: 100x150)', labelLayouts),
  ],
  run: async ({ rest, print, terminal }, { output, ...wanted }) => {
    const bytes = Buffer.from(await bodyOf(labelsOf(rest, wanted)));
    if (output === '-') return void terminal.stdout.write(bytes);
    await writeFile(output, bytes).catch((error: Error) => {
      throw wrongUsage(`The file cannot be written: ${error.message}`);
    });
    print.say(`${output}: ${bytes.length} bytes.`);
  },
});

function labelsOf(rest: RestClient, { order, package: loggiKey, ...query }: Omit<LabelOptions, 'output'>) {
  const parseAs = 'arrayBuffer' as const;
  if (order !== undefined && loggiKey === undefined) {
    return rest.GET('/api/v1/orders/{id}/labels', { params: { path: { id: order }, query }, parseAs });
  }
  if (loggiKey !== undefined && order === undefined) {
    return rest.GET('/api/v1/packages/{loggi_key}/label', {
      params: { path: { loggi_key: loggiKey }, query },
      parseAs,
    });
  }
  throw wrongUsage('Name either --order or --package.');
}
