import { writeFile } from 'node:fs/promises';
import { command, oneOf, option, repeated, required } from '../../command.js';
import { wrongUsage } from '../../errors.js';

export const labels = command({
  usage: 'labels',
  summary: 'Write the labels of orders, or of one package, to a file.',
  example: '--order pedido-1042 --order pedido-1043 --layout a4 --output labels.pdf',
  options: {
    order: repeated('--order <order>', 'order whose packages are labelled; at most 50, of 200 packages'),
    package: option('--package <package>', 'package that is labelled'),
    output: required(option('--output <file>', 'file to write; - is standard output')),
    format: oneOf('--format <format>', 'pdf for all printers, zpl for label printers of 203 dpi (default: pdf)', [
      'pdf',
      'zpl',
    ]),
    layout: oneOf('--layout <layout>', 'one label a page, or four on A4 (default: 100x150)', ['100x150', 'a4']),
  },
  run: async ({ send, print, terminal }, { output, order = [], package: loggiKey, ...query }) => {
    if ((order.length === 0) === (loggiKey === undefined)) throw wrongUsage('Name either --order or --package.');
    const response =
      loggiKey === undefined
        ? await send('getLabels', { path: { order_ids: order.join(',') }, query })
        : await send('getPackageLabel', { path: { loggi_key: loggiKey }, query });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (output === '-') return void terminal.stdout.write(bytes);
    await writeFile(output, bytes).catch((error: Error) => {
      throw wrongUsage(`The file cannot be written: ${error.message}`);
    });
    print.say(`${output}: ${bytes.length} bytes.`);
  },
});
