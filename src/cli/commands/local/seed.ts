import { parseGivenJson, parseJson } from '../../../api/json.ts'
import { readInput } from '../../../files/input-file.ts'
import type { Host } from '../../../host.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import { control, controlFlag } from './control-client.ts'

export function defineLocalSeed(local: MeetroomCommand): void {
  const seed = local
    .command('seed')
    .summary('Replace all data of a test service with a seed file')
    .description(
      'Reset a test service to the users and rooms of a JSON file, and print the number of users and rooms. Each later reset ' +
        'restores this seed.',
    )
    .argument('<seed-file>', 'JSON file: {"users": […], "rooms": [{…, "members": […]}]}')
    .requiredOption(...controlFlag)
    .act('machine', async (context, file: string, flags: { control: string }) => {
      const printer = await context.printer()
      const value = await readSeed(file, context.host)
      await printer.printFacts(await control<Printed['local seed']>(context, flags.control, '/seed', value))
    })
  seed.addExamples('meetroom local seed seed.json --control control.json')
}

async function readSeed(file: string, host: Host): Promise<object> {
  const name = `the seed ${file}`
  return parseGivenJson((await readInput(file, host, { name })).toString(), name, parseJson) as object
}
