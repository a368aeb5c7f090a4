import { writeFile } from 'node:fs/promises';
import { command, oneOf, option, required } from '../../command.js';
import { wrongUsage } from '../../errors.js';

export const labels = command({
  usage: 'labels',
  summary: 'Write the labels of an order, or of one package, to a file.',
  example: '--order pedido-1042 --layout a4 --output labels.pdf',
  options: {
    order: option('--order <order>', 'order whose packages are labelled'),
    package: option('--package <package>', 'package that is labelled'),
    output: required(option('--output <file>', 'file to write; - is standard output')),
    format: oneOf('--format <format>', 'pdf for all printers, zpl for label printers of 203 dpi (default: pdf)', [
      'pdf',
      'zpl',
    ]),
    layout: oneOf('--layout <layout>', 'one label a page, or four on A4 (default: 100x150)', ['100x150', 'a4']),
  },
  run: async ({ send, print, terminal }, { output, order, package: loggiKey, ...query }) => {
    if ((order === undefined) === (loggiKey === undefined)) throw wrongUsage('Name either --order or --package.');
    const response =
      order === undefined
        ? await send('getPackageLabel', { path: { loggi_key: loggiKey }, query })
        : await send('getOrderLabels', { path: { id: order }, query });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (output === '-') return void terminal.stdout.write(bytes);
    await writeFile(output, bytes).catch((error: Error) => {
      throw wrongUsage(`The file cannot be written: ${error.message}`);
    });
    print.say(`${output}: ${bytes.length} bytes.`);
  },
});
