"""Write fetched responses as WARC files (ISO 28500:2017), and read pages back from these and from others.

A crawl writes `CORPUS/archive/000001.warc.gz` and so on, every record a gzip member of its own. Records that belong
together stand together: the response, the request, and, where the spider handed a page on, a metadata record that
says so, with all that discovery knew of the page.
"""
