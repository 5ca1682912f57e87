import type { Act } from '../context.ts'
import { examples } from '../flags.ts'
import type { MeetroomCommand } from '../meetroom-command.ts'
import { visibleJson } from '../output/visible.ts'

export function defineOpenapi(openapi: MeetroomCommand, act: Act): void {
  openapi.description('Print the contract of the service as an OpenAPI 3.1 document.').action(
    act('machine', async (context) => {
      const { openApiDocument } = await import('../../api/openapi.ts')
      const text = JSON.stringify(openApiDocument(), null, 2)
      await (await context.printer()).data(`${text}\n`, visibleJson)
    }),
  )
  examples(openapi, 'meetroom openapi > openapi.json')
}
