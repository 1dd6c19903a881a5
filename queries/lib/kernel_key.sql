/* ---
name = "kernel_key"
version = 2
title = "Normalized kernel names, for comparing names across profilers"
help = """
One row per name. Tools print the same kernel differently: the demanglers of GNU and LLVM, used by
PyTorch's profiler and ROCm, print `void f<4, true, g(T&)::{lambda(float)#1}, Array<char*, 3ul>
>(float const*)`; NVIDIA's, used by Nsight Systems, prints `void f<(int)4, (bool)1, g(T
&)::[lambda(float) (instance 1)], Array<char *, (unsigned long)3>>(const T4 *)`.

spelling has no spaces other than between words, no return type, casts, number suffixes, const or
__restrict__, and one notation for booleans, lambdas and anonymous namespaces. signature is spelling
without parameter lists, except those of lambdas, because NVIDIA writes T1 there for a template
argument: functions that differ only in parameters share one signature. base_name is the last
component of the name without template arguments; some profilers record only that. For copies the
signature is the direction, for memsets a constant; both have no base_name.

Names of one signature whose variants differ are not spellings of one thing: the variant is the kind
of memory of a copy or memset, and the spelling of a kernel with its parameters, if they are
recorded as types.
"""
grain = ["kind", "class", "name"]
requires = { schema = ">=13" }
columns = ["kind", "class", "name", "mangled", "spelling", "signature", "variant", "base_name"]

[column]
kind.help = "kernel, memcpy or memset"
class.help = "compute, communication or memory"
name = { nullable = false, help = "Name as recorded; (no name) if there is none" }
mangled = { type = "VARCHAR", unit = "text", nullable = true, help = "Linker name, if recorded; NULL: unknown" }
spelling = { type = "VARCHAR", unit = "text", help = "Normalized name" }
signature = { type = "VARCHAR", unit = "text", help = "spelling without parameter lists; for a copy its direction" }

[column.variant]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Kind of memory, or spelling with parameters; NULL: not recorded"

[column.base_name]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name without namespaces, template arguments and parameters; NULL: not a kernel"

[changes]
1 = "first version"
2 = "new column variant"
--- */
WITH named AS (
  SELECT
    kind,
    class,
    coalesce(name, '(no name)') AS name,
    min(mangled_name) AS mangled_name,
    -- Suffixes that compilers append to a symbol: clones, and AMD's kernel descriptor.
    regexp_replace(
      coalesce(name, '(no name)'), '(\s*\[clone [^\]]*\]|\.kd|\.isra\.\d+|\.constprop\.\d+)+$', ''
    ) AS bare
  FROM gpu_op
  WHERE kind <> 'sync'
  GROUP BY kind, class, coalesce(name, '(no name)')
),
marked AS (
  SELECT
    *,
    -- Each line normalizes one spelling; parentheses other than parameter lists go first.
    regexp_replace(
      regexp_replace(
        regexp_replace(
          regexp_replace(
            regexp_replace(
              regexp_replace(
                replace(replace(replace(bare,
                  '(anonymous namespace)', 'anonymous'),
                  '{anonymous}', 'anonymous'),
                  '<unnamed>', 'anonymous'),
                '\s*\(instance (\d+)\)', '#\1', 'g'),
              'operator ?\(\)', 'operator@call', 'g'),
            '\([A-Za-z_][\w:<>, ]*\)(-?\d)', '\1', 'g'),
          '\b(\d+)(?:ull|ul|ll|u|l)\b', '\1', 'g'),
        '&\(([^()]*)(?:\([^()]*\))*\)', '&\1', 'g'),
      '\b(?:const|__restrict__|__restrict)\b', '', 'g') AS text
  FROM named
),
spelled AS (
  SELECT
    *,
    regexp_replace(
      regexp_replace(
        regexp_replace(
          regexp_replace(
            -- LLVM numbers lambdas 'lambda', 'lambda0', 'lambda1' where GNU writes #1, #2, #3.
            list_reduce(
              range(10),
              lambda done, n: regexp_replace(
                done, '''lambda' || n || '''\(([^()]*)\)', '[lambda(\1)#' || (n + 2) || ']', 'g'
              ),
              regexp_replace(
                translate(text, '{}', '[]'), '''lambda''\(([^()]*)\)', '[lambda(\1)#1]', 'g'
              )
            ),
            '\bvoid (\w)', '\1', 'g'),
          '\btrue\b', '1', 'g'),
        '\bfalse\b', '0', 'g'),
      '\s*([^\w\s])\s*', '\1', 'g') AS spelling
  FROM marked
),
signed AS (
  SELECT
    *,
    regexp_replace(
      regexp_replace(
        list_reduce(
          range(20),
          lambda left_over, n: regexp_replace(left_over, '\([^()]*\)', '', 'g'),
          -- Two lambdas of one function may differ only in their parameters.
          regexp_replace(spelling, '\[lambda\(([^()]*)\)', '[lambda:\1', 'g')
        ),
        '^std::enable_if<.*?>::type ', ''),
      '\s*([^\w\s])\s*', '\1', 'g') AS signature
  FROM spelled
)
SELECT
  kind,
  class,
  name,
  CASE WHEN starts_with(bare, '_Z') THEN bare ELSE mangled_name END AS mangled,
  spelling,
  CASE
    WHEN kind = 'memset' THEN 'memset'
    WHEN kind = 'memcpy'
    THEN 'memcpy' || coalesce(
      ' ' || nullif(
        upper(
          regexp_replace(
            lower(name), '.*([hdpa])(?:ost|evice|eer|rray)?[-_ ]?to[-_ ]?([hdpa]).*', '\1to\2'
          )
        ),
        upper(lower(name))
      ),
      ''
    )
    ELSE signature
  END AS signature,
  CASE
    WHEN kind = 'memset' THEN nullif(regexp_extract(lower(name), '\((\w+)\)', 1), '')
    WHEN kind = 'memcpy'
    THEN nullif(
      replace(regexp_extract(lower(name), '\(\s*(\w+\s*->\s*\w+)\s*\)', 1), ' ', ''), ''
    )
    -- NVIDIA writes T1 for a parameter of the type of a template argument.
    WHEN regexp_matches(spelling, '\)$') AND NOT regexp_matches(spelling, '\bT\d+\b')
    THEN spelling
  END AS variant,
  CASE
    WHEN kind = 'kernel'
    THEN nullif(
      regexp_extract(
        list_reduce(
          range(20), lambda left_over, n: regexp_replace(left_over, '<[^<>]*>', '', 'g'), signature
        ),
        '([^: ]*)$',
        1
      ),
      ''
    )
  END AS base_name
FROM signed
