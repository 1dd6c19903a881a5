-- What the kinds of links are: there are more than when the table was made.
COMMENT ON COLUMN link.kind IS '[text] launch, sync_call: call to device work or wait; op_launch: operator to call; forward_backward; step, annotation: to device work launched inside; python, module: frame to operator; wait: device work to the call that waited; flow: recorded; collective_peer: between ranks';
