import type { MeetroomCommand } from '../kernel/meetroom-command.ts'
import { visibleJson } from '../output/terminal/visible.ts'

export function defineOpenapi(openapi: MeetroomCommand): void {
  openapi
    .description('Print the API specification as an OpenAPI 3.1 document.')
    .act('machine', async (context) => {
      const { openApiDocument } = await import('../../api/openapi.ts')
      const document = openApiDocument()
      const printer = await context.printer()
      if (printer.options.query) return printer.result(document)
      await printer.data(`${JSON.stringify(document, null, 2)}\n`, visibleJson)
    })
  openapi.addExamples('meetroom openapi > openapi.json', "meetroom openapi --query 'keys(paths)' -o tsv")
}
