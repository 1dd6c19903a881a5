"""`python -m warehouse` is `tw`."""

from warehouse.cli import main

main()
